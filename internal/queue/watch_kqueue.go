//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package queue

import (
	"fmt"
	"os"
)

// Events cost an open file for each name here, and a process has few.
const mostWatched = 200

func affordable(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if names, _ := d.Readdirnames(mostWatched + 1); len(names) > mostWatched {
		return fmt.Errorf("more than %d files to watch", mostWatched)
	}
	return nil
}
