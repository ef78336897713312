//go:build unix && !linux

package acceptance

import "os"

// launchMain has no supervisor to offer here.
func launchMain() { os.Exit(125) }
