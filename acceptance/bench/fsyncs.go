//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// fsyncs counts those of a task, as the difference between 30 and 10 of them.
func (b bench) fsyncs(c contestant) string {
	if _, err := exec.LookPath("strace"); err != nil {
		return "?"
	}
	few, err1 := b.counted(c, 10)
	more, err2 := b.counted(c, 30)
	if err1 != nil || err2 != nil {
		return "?"
	}
	return fmt.Sprintf("%.1f", float64(more-few)/20)
}

// counted lets a contestant work under strace: in this program itself, told to
// do that alone.
func (b bench) counted(c contestant, n int) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	log := filepath.Join(b.top, "strace")
	_, err = b.once(c, n, func(s scene) (cost, error) {
		cmd := exec.Command("strace", "-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,syncfs,sync", self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%d\n%s\n%s", onlyEnv, c.name, n, s.top, s.dir))
		return cost{}, cmd.Run()
	})
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(log)
	return bytes.Count(data, []byte("sync(")) + bytes.Count(data, []byte("syncfs(")), err
}
