//go:build unix

package cli

import (
	"io/fs"
	"syscall"
)

// changed is when a file was last moved or written: a move leaves its
// modification time alone.
func changed(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return changeTime(st)
	}
	return info.ModTime().UnixNano()
}
