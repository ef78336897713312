//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// unsafeFile says how someone else could have written the file; its commands
// run with this user's rights.
func unsafeFile(info fs.FileInfo) string {
	if info.Mode().Perm()&0o002 != 0 {
		return "everyone may write this file, and its commands would run as you: chmod o-w it"
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && stat.Uid != 0 && int(stat.Uid) != me {
		return fmt.Sprintf("owned by user %d, and its commands would run as user %d", stat.Uid, me)
	}
	return ""
}
