package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
)

// A Worker is one process that does the steps of tasks.
type Worker struct {
	Config  config.Config // of the clone that it works in
	Environ []string
	Name    string   // tells workers on one clone apart
	Control *Control // nil: another worker keeps the records
	Warn    loop.Observer
}

// Run does steps until ctx ends. Then generators are ended, and what became of
// them is told before Run returns.
func (w Worker) Run(ctx context.Context, c client.Client, e Engine) (err error) {
	records := w.records()
	l, err := loop.Open(ctx, loop.Options{Config: w.Config, Environ: w.Environ, Observer: w.Warn, Records: records})
	if errors.Is(err, record.ErrBusy) {
		return fmt.Errorf("a worker of that name runs on this clone: give this one another --name: %w", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	steps, err := l.Steps(ctx)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	s := &Site{
		Worker: fmt.Sprintf("%s-%s", host, record.Digest([]byte(records))[:12]), Steps: steps,
		Remote: NewRemote(w.Config.Dir, e.Remote, GitEnviron(w.Environ)), Branch: w.Config.Land.Branch,
	}
	return serve(ctx, w.workers(c, e, s))
}

// records is where this worker keeps copies of journals and the raw logs: apart
// from the records of the control repository, which may be the same clone.
func (w Worker) records() string {
	getenv := func(name string) string {
		for _, entry := range slices.Backward(w.Environ) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
	clone := record.Digest([]byte(w.Config.Dir))[:12]
	return filepath.Join(loop.StateRoot(w.Config, getenv), "temporal", clone, w.Name)
}

// GitEnviron is the environment without what would lead git to another
// repository.
func GitEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}, name)
	})
}

// workers are those of each queue that this process serves.
func (w Worker) workers(c client.Client, e Engine, s *Site) []worker.Worker {
	queue, n := flow.Queue(e.Name), w.Config.Queue.Concurrency
	grace := w.Config.Generator.Grace.Std() + 30*time.Second
	open := func(name string, most int, flows bool) worker.Worker {
		return worker.New(c, name, worker.Options{
			MaxConcurrentActivityExecutionSize: most, DisableWorkflowWorker: !flows, WorkerStopTimeout: grace,
			MaxHeartbeatThrottleInterval: time.Second, DefaultHeartbeatThrottleInterval: time.Second, Identity: s.Worker,
		})
	}
	main := open(queue, n, true)
	main.RegisterWorkflowWithOptions(flow.Player{}.Task, workflow.RegisterOptions{Name: flow.Name})
	all := []worker.Worker{main, open(flow.WorkerQueue(queue, s.Worker), n, false)}
	for _, model := range sorted(anyMap(e.Models)) {
		all = append(all, open(flow.ModelQueue(queue, model), e.Models[model], false))
	}
	for _, one := range all {
		s.register(one)
	}
	if w.Control != nil {
		control := open(flow.ControlQueue(queue), 4, false)
		control.RegisterActivityWithOptions(w.Control.Return, activity.RegisterOptions{Name: flow.Return})
		all = append(all, control)
	}
	return all
}

func anyMap(models map[string]int) map[string]any {
	all := map[string]any{}
	for name, n := range models {
		all[name] = n
	}
	return all
}

// register gives a worker the activities that need a tree.
func (s *Site) register(w worker.Worker) {
	for name, do := range map[string]any{
		flow.Preflight: s.Preflight, flow.Generate: s.Generate, flow.Verify: s.Verify, flow.Consult: s.Consult,
		flow.Observe: s.Observe, flow.Compensate: s.Compensate, flow.Land: s.Land, flow.Forget: s.Forget,
	} {
		w.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
	}
}

func serve(ctx context.Context, workers []worker.Worker) error {
	for i, w := range workers {
		if err := w.Start(); err != nil {
			stop(workers[:i])
			return fmt.Errorf("serve: %w", err)
		}
	}
	<-ctx.Done()
	stop(workers)
	return nil
}

// stop ends all at once: each waits for what it has under way.
func stop(workers []worker.Worker) {
	ended := make(chan struct{})
	for _, w := range workers {
		go func() {
			w.Stop()
			ended <- struct{}{}
		}()
	}
	for range workers {
		<-ended
	}
}
