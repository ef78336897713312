package cli

import (
	"fmt"
	"strings"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

// A step is one thing that a pass would do.
type step struct {
	Action string `json:"action"` // go on with, claim, leave, quarantine
	Name   string `json:"name"`
	Why    string `json:"why"`

	verify []string // the profiles of a task that could be claimed
}

// steps are what a pass would do if nothing kept it, in its order.
func (a *app) steps(look *looker, cfg config.Config) ([]step, error) {
	begun, err := a.begun(look, cfg)
	if err != nil {
		return nil, err
	}
	verify := map[string][]string{}
	list, err := look.queue.Scan(func(t task.Task) []task.Fault {
		verify[t.ID] = t.Verify
		return t.Against(cfg.Known())
	}, look.known, a.now())
	if err != nil {
		return nil, err
	}
	for _, w := range list.Warnings {
		a.warn(w.String())
	}
	offered := a.offered(list)
	for i, s := range offered {
		offered[i].verify = append(verify[s.Name], cfg.Verification.Always...)
	}
	return append(begun, offered...), nil
}

// begun are the tasks that a pass looks at before it claims any: it goes on
// with them, but for those whose wait it would not sit out.
func (a *app) begun(look *looker, cfg config.Config) (steps []step, err error) {
	cards, err := look.queue.List(task.Processing)
	for _, c := range cards {
		s := step{Action: "go on with", Name: c.ID()}
		e := look.entry(task.Processing, c)
		until, timed := time.Parse(time.RFC3339, e.Until)
		if timed == nil {
			s.Why = fmt.Sprintf("%s, %s, until %s", e.Phase, e.Reason, a.local(until))
		}
		if timed == nil && until.Sub(a.now()) > cfg.Recovery.InlineWait.Std() {
			s.Action = "leave"
		}
		steps = append(steps, s)
	}
	return steps, err
}

// offered is what a pass would do about each file of inbox.
func (a *app) offered(list queue.Listing) (steps []step) {
	for _, item := range list.Ready {
		steps = append(steps, step{Action: "claim", Name: item.ID()})
	}
	for _, w := range list.Waiting {
		steps = append(steps, step{Action: "leave", Name: w.Name, Why: a.waits(w)})
	}
	for _, bad := range list.Bad {
		texts := make([]string, len(bad.Faults))
		for i, f := range bad.Faults {
			texts[i] = f.String()
		}
		steps = append(steps, step{Action: "quarantine", Name: bad.Name, Why: strings.Join(texts, "; ")})
	}
	return steps
}

func (a *app) would(s step) {
	if a.json {
		a.printJSON(s)
		return
	}
	if s.Why != "" {
		s.Why = ": " + s.Why
	}
	fmt.Fprintf(a.stdout, "%s %s%s\n", s.Action, s.Name, s.Why)
}
