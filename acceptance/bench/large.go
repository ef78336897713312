//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// large compares the cost of a task with many files in inbox to that with few,
// each as the difference of two runs, so that the first listing is apart.
func (b bench) large(files int) error {
	fmt.Printf("\n| files in inbox | CPU a task | first listing and start | resident |\n|---:|---:|---:|---:|\n")
	for _, files := range []int{1000, files} {
		few, _, err := b.part(files, 20)
		if err != nil {
			return err
		}
		more, resident, err := b.part(files, 220)
		if err != nil {
			return err
		}
		each := (more - few) / 200
		fmt.Printf("| %d | %.2f ms | %d ms | %d MiB |\n", files, float64(each.Microseconds())/1000, (few - 20*each).Milliseconds(), resident>>20)
	}
	return nil
}

// part runs some of the tasks of an inbox. It gives the CPU time and the
// largest memory of looprun.
func (b bench) part(files, tasks int) (time.Duration, int64, error) {
	dir, err := os.MkdirTemp(b.top, "large-")
	if err != nil {
		return 0, 0, err
	}
	s, err := b.scene(dir, files)
	if err == nil {
		err = s.repository("in_place", true)
	}
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(b.looprun(), "run", "--max-tasks", strconv.Itoa(tasks))
	cmd.Dir, cmd.Env = s.dir, s.env()
	before := used()
	if err := cmd.Run(); err != nil {
		return 0, 0, err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0, fmt.Errorf("the system tells no memory")
	}
	return used() - before, usage.Maxrss << 10, nil
}
