package workspace

import (
	"errors"
	"syscall"
	"testing"

	"looprun.dev/looprun/internal/child"
)

func TestFaultsOfTheDiskThatGitMeets(t *testing.T) {
	tests := map[string]struct {
		said string
		want error
	}{
		"a full disk":             {"error: unable to create temporary file: No space left on device\nfatal: git-write-tree: error building trees\n", syscall.ENOSPC},
		"a full disk, in a write": {"fatal: sha1 file 'x.lock' write error. Out of diskspace\n", syscall.ENOSPC},
		"a used up quota":         {"fatal: unable to write loose object file: Disk quota exceeded\n", syscall.EDQUOT},
		"a read-only disk":        {"fatal: Unable to create 'x.lock': Read-only file system\n", syscall.EROFS},
		"a dying disk":            {"error: unable to read x: Input/output error\n", syscall.EIO},
		"something else":          {"fatal: not a valid object name: x\n", nil},
		"a file in the way":       {"error: unable to write file x\n", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := &door{home: t.TempDir()}
			res := child.Result{Ended: child.Exit, ExitCode: 128}
			res.Stderr.Tail = []byte(tt.said)
			if err := errors.Unwrap(g.failed(call{args: []string{"write-tree"}}, res)); !errors.Is(err, tt.want) {
				t.Errorf("Unwrap() = %v; want %v", err, tt.want)
			}
		})
	}
}
