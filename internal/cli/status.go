package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// A summary is what status tells.
type summary struct {
	Running bool               `json:"running"`
	PID     int                `json:"pid,omitempty"`
	Paused  bool               `json:"paused"`
	Why     string             `json:"pause_reason,omitempty"`
	Until   *time.Time         `json:"paused_until,omitempty"`
	Sandbox string             `json:"sandbox,omitempty"`
	Bare    string             `json:"sandbox_missing,omitempty"` // why there is none
	Counts  map[task.Stage]int `json:"counts"`
	Active  []entry            `json:"active"`
	Next    *time.Time         `json:"next_wake,omitempty"` // when a task that waits may go on
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show on one screen what runs, what waits and what needs you",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.status() },
	}
}

func (a *app) status() error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	s, err := look.summary(a.now())
	if err != nil {
		return err
	}
	s.Sandbox, s.Bare = a.sandbox()
	if a.json {
		a.printJSON(s)
		return nil
	}
	return a.printSummary(s)
}

func (l *looker) summary(now time.Time) (summary, error) {
	s := summary{Counts: map[task.Stage]int{}, Active: []entry{}}
	for _, stage := range task.Stages {
		cards, err := l.queue.List(stage)
		if err != nil {
			return s, err
		}
		s.Counts[stage] = len(cards)
		if stage == task.Processing {
			for _, c := range cards {
				s.Active = append(s.Active, l.entry(stage, c))
			}
		}
	}
	s.Next = nextWake(s.Active)
	if l.reader == nil {
		return s, nil
	}
	owner, held, err := l.reader.Owner()
	if err != nil {
		return s, err
	}
	if s.Running = held; held {
		s.PID = owner.PID
	}
	pause, paused, err := l.reader.PausedAt(now)
	if s.Paused = paused; paused {
		s.Why = pause.Reason
		if !pause.Until.IsZero() {
			s.Until = &pause.Until
		}
	}
	return s, err
}

// nextWake is the earliest time at which one of the tasks may go on; nil if no
// time is known.
func nextWake(active []entry) (next *time.Time) {
	for _, e := range active {
		at, err := time.Parse(time.RFC3339, e.Until)
		if err == nil && (next == nil || at.Before(*next)) {
			next = &at
		}
	}
	return next
}

func (a *app) printSummary(s summary) error {
	switch {
	case s.Running:
		fmt.Fprintf(a.stdout, "running, pid %d\n", s.PID)
	default:
		fmt.Fprintln(a.stdout, "not running")
	}
	if s.Paused {
		p := record.Pause{Reason: s.Why}
		if s.Until != nil {
			p.Until = *s.Until
		}
		fmt.Fprintln(a.stdout, a.paused(p))
	}
	if s.Bare != "" {
		fmt.Fprintf(a.stdout, "sandbox: %s: %s\n", s.Sandbox, s.Bare)
	}
	w := columns(a.stdout)
	for _, stage := range task.Stages {
		fmt.Fprintf(w, "%s\t%d\n", stage, s.Counts[stage])
	}
	for _, e := range s.Active {
		fmt.Fprintf(w, "%s\t%s\n", e.ID, e.describe())
	}
	if s.Next != nil {
		fmt.Fprintf(w, "next wake\t%s\n", a.local(*s.Next))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if n := s.Counts[task.NeedsInputStage]; n > 0 {
		a.hint("%d waiting for you: looprun list, then looprun show ID", n)
	}
	return nil
}
