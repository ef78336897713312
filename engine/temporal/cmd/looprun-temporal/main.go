// Command looprun-temporal runs looprun's tasks as workflows of a Temporal
// cluster.
package main

import (
	"os"

	"looprun.dev/looprun/engine/temporal/internal/command"
)

func main() { os.Exit(command.Main()) }
