//go:build !unix

package cli

import "os"

// terminalWidth knows no terminal that obeys escape sequences for certain.
func terminalWidth(*os.File) (int, bool) { return 0, false }
