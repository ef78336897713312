//go:build linux

// Command bench measures what looprun costs beside what it is asked to run, in
// one go with other queues: xargs, filespooler (fspl), nq and task-spooler
// (tsp), of which those that are installed take part. Each runs /bin/true;
// looprun runs it twice a task, as generator and as check.
//
//	go run ./acceptance/bench
//	go run ./acceptance/bench -n 1000 -runs 3 -big 100000
//
// It prints CPU time and tasks a second. Machines are noisy: only the ratios
// within one run say something.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// onlyEnv names a contestant that is to do its work and nothing else: its name,
// the number of tasks, the bench's folder and that of its scene.
const onlyEnv = "LOOPRUN_BENCH_ONLY"

func only(order string) error {
	words := strings.Split(order, "\n")
	n, err := strconv.Atoi(words[1])
	for _, c := range contestants {
		if c.name == words[0] && err == nil {
			_, err = measure(func() error { return c.work(scene{bench: bench{top: words[2]}, dir: words[3], n: n}) })
		}
	}
	return err
}

func main() {
	if order := os.Getenv(onlyEnv); order != "" {
		if err := errors.Join(adopt(), only(order)); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	n := flag.Int("n", 1000, "tasks")
	runs := flag.Int("runs", 3, "runs of each; the median counts")
	big := flag.Int("big", 100_000, "files in the large inbox; 0 leaves it out")
	flag.Parse()
	if err := run(*n, *runs, *big); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(n, runs, big int) error {
	top, err := os.MkdirTemp("", "looprun-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	b := bench{top: top, n: n}
	if err := b.build(); err != nil {
		return err
	}
	if err := adopt(); err != nil {
		return err
	}
	if err := b.compare(runs); err != nil || big == 0 {
		return err
	}
	return b.large(big)
}

// A bench is one comparison.
type bench struct {
	top string
	n   int
}

func (b bench) looprun() string { return filepath.Join(b.top, "looprun") }

func (b bench) build() error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.looprun(), "./cmd/looprun")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// compare lets all contestants run in turn, several times.
func (b bench) compare(runs int) error {
	took := map[string][]cost{}
	var present []contestant
	for _, c := range contestants {
		if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
			fmt.Printf("%s is not installed: left out\n", c.needs)
			continue
		}
		present = append(present, c)
	}
	for range runs {
		for _, c := range present {
			spent, err := b.once(c, b.n, func(s scene) (cost, error) { return measure(func() error { return c.work(s) }) })
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			took[c.name] = append(took[c.name], spent)
		}
	}
	base := median(took[contestants[0].name])
	fmt.Printf("%d tasks, the median of %d runs\n\n", b.n, runs)
	fmt.Printf("| | CPU a task | tasks a second | CPU beside xargs | fsyncs a task |\n|---|---:|---:|---:|---:|\n")
	for _, c := range present {
		m := median(took[c.name])
		each := m.cpu / time.Duration(b.n)
		fmt.Printf("| %s | %.2f ms | %.0f | %.1f | %s |\n", c.name, float64(each.Microseconds())/1000,
			float64(b.n)/m.wall.Seconds(), float64(m.cpu)/float64(base.cpu), b.fsyncs(c))
	}
	return nil
}

// once gives a contestant a folder and n tasks, and measures its work. The
// folder stays until the end: ext4 passes over the inodes of files that were
// deleted less than a minute ago, one by one, which the next would pay for.
func (b bench) once(c contestant, n int, work func(scene) (cost, error)) (cost, error) {
	dir, err := os.MkdirTemp(b.top, "run-")
	if err != nil {
		return cost{}, err
	}
	s, err := b.scene(dir, n)
	if err != nil {
		return cost{}, err
	}
	if c.prepare != nil {
		if err := c.prepare(s); err != nil {
			return cost{}, err
		}
	}
	return work(s)
}

func median(all []cost) cost {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b cost) int { return int(a.cpu - b.cpu) })
	return all[len(all)/2]
}
