//go:build linux || darwin

package workspace

import (
	"testing"

	"looprun.dev/looprun/internal/child"
)

// confined is a sandbox in which the programs of the system run.
func confined(t *testing.T) child.Sandbox {
	t.Helper()
	abi := child.Landlock()
	if abi < child.FilesABI {
		t.Skipf("the system has version %d of Landlock, %d is needed", abi, child.FilesABI)
	}
	return child.Sandbox{ABI: abi, Read: []string{"/usr", "/bin", "/lib", "/lib64", "/etc"}}
}
