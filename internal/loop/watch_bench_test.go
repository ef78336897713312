//go:build unix

package loop_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// A watch that rests: how long after a file is dropped its task is claimed, and
// how long after that its generator, a shell, says its first word.
func BenchmarkDropToStart(b *testing.B) {
	for _, mode := range []string{config.InPlace, config.Isolated} {
		b.Run(mode, func(b *testing.B) { dropToStart(b, mode) })
	}
}

func dropToStart(b *testing.B, mode string) {
	agent := `echo >"$D/first-word"`
	if mode == config.Isolated { // in place what is accepted waits for a review
		agent += `; echo "$LOOPRUN_TASK_ID" >answer`
	}
	made, err := makeCheckout(scenario{mode: mode, agent: agent, check: "exit 0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = fsx.Scratch(made).RemoveAll("") })
	dir := fsx.Scratch(made)
	if err := errors.Join(dir.MkdirAll("repo/tasks/inbox"), dir.MkdirAll("state")); err != nil {
		b.Fatal(err)
	}
	first := words(b, dir.Path("first-word"))
	w := rested(b, made)
	var toClaim, toStart []time.Duration
	for n := 0; b.Loop(); n++ {
		if err := dir.WriteFile("dropped", fmt.Appendf(nil, `{"id": "t%d", "goal": "g", "verify": ["answer"]}`, n)); err != nil {
			b.Fatal(err)
		}
		at := time.Now()
		if err := os.Rename(dir.Path("dropped"), dir.Path(fmt.Sprintf("repo/tasks/inbox/t%d.json", n))); err != nil {
			b.Fatal(err)
		}
		toClaim = append(toClaim, (<-w.claimed).Sub(at))
		toStart = append(toStart, (<-first).Sub(at))
		w.rests(b)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(toClaim), "ms-to-claim")
	b.ReportMetric(middle(toStart), "ms-to-start")
}

// A watched is a watch under way, and what it said last.
type watched struct {
	listener
	claimed chan time.Time
	ended   chan bool
}

// rested starts a watch in dir that has nothing to do.
func rested(b *testing.B, dir string) *watched {
	cfg, _, err := config.Load(filepath.Join(dir, "repo", config.FileName))
	if err != nil {
		b.Fatal(err)
	}
	w := &watched{claimed: make(chan time.Time, 1), ended: make(chan bool, 1)}
	ctx, stop := context.WithCancel(context.Background())
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Observer: w, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "D=" + dir}})
	if err != nil {
		b.Fatal(err)
	}
	over := make(chan error)
	go func() {
		over <- errors.Join(l.Watch(ctx, loop.Watching{
			Ready: func() {}, Ended: func(record.ResultView) { w.ended <- true }, Left: func(record.PassView) {}, Passed: func(loop.Pass) {},
		}), l.Close())
	}()
	b.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			b.Error(err)
		}
	})
	time.Sleep(calmness)
	return w
}

// calmness is how long nothing is dropped before the next task is: what a watch
// makes ready while it rests is ready then.
const calmness = 100 * time.Millisecond

func (w *watched) rests(b *testing.B) {
	<-w.ended
	time.Sleep(calmness)
}

// Recorded implements loop.Observer.
func (w *watched) Recorded(_ round.State, e round.Event) {
	if e.Kind == round.Claim {
		w.claimed <- time.Now()
	}
}

// middle is the median in milliseconds.
func middle(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}

// words tells when something is written into the pipe at path.
func words(b *testing.B, path string) <-chan time.Time {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		b.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { pipe.Close() })
	at := make(chan time.Time)
	go func() {
		for r := bufio.NewReader(pipe); ; {
			if _, err := r.ReadByte(); err != nil {
				return
			}
			at <- time.Now()
		}
	}()
	return at
}
