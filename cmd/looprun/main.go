// Command looprun works through a directory of tasks, unattended.
package main

import (
	"os"

	"looprun.dev/looprun/internal/cli"
)

func main() { os.Exit(cli.Main()) }
