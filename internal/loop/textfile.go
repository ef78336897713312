package loop

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/telemetry"
)

// exportEvery is the time between two files while tasks end one after another:
// whoever collects them looks more seldom, and each lists all that is done.
const exportEvery = 5 * time.Second

// exportMetrics writes the file for Prometheus, if loop.yaml wants one and it
// was not written within the time before. It is a convenience: what keeps it
// from being written is told and ends nothing.
func (l *Loop) exportMetrics(within time.Duration) {
	if l.cfg.Metrics.TextfileDir == "" || l.accounts == nil {
		return
	}
	l.exporting.Lock()
	defer l.exporting.Unlock()
	now := l.opts.Now()
	if age := now.Sub(l.exported); age >= 0 && age < within {
		return
	}
	l.exported = now
	if err := l.writeMetrics(l.cfg.Resolve(l.cfg.Metrics.TextfileDir)); err != nil {
		l.warn("metrics.textfile_dir: %v", err)
	}
}

// writeMetrics replaces the file at once and whole. Its name is that of the
// .loop, so that several can share a directory; whoever collects the files is
// another user, and may read it.
func (l *Loop) writeMetrics(path string) error {
	dir := fsx.Scratch(path)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(dir.MkdirAll(""), dir.Chmod("", 0o755)); err != nil {
			return err
		}
	}
	g, err := l.gauge()
	if err != nil {
		return err
	}
	name := "looprun-" + l.key() + ".prom"
	if err := dir.WriteMode("."+name+".new", g.Prometheus(), 0o644); err != nil {
		return err
	}
	return dir.Rename("."+name+".new", name)
}

// gauge is how this loop stands now.
func (l *Loop) gauge() (telemetry.Gauge, error) {
	now := l.opts.Now()
	g := telemetry.Gauge{Loop: l.cfg.Dir, At: now, Stages: map[task.Stage]int{}}
	for _, stage := range task.Stages {
		cards, err := l.queue.List(stage)
		if err != nil {
			return g, err
		}
		g.Stages[stage] = len(cards)
	}
	var err error
	if _, g.Paused, err = record.PausedAt(l.store.Loop(), now); err != nil {
		return g, err
	}
	if g.Circuits, _, err = l.breakers.List(); err != nil {
		return g, err
	}
	g.Tally = l.accounts.Tally()
	return g, nil
}
