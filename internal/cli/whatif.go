package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/unit"
)

// A comparison is what the tasks of a survey come to under another policy.
type comparison struct {
	Schema  string         `json:"schema"`
	Policy  string         `json:"policy"`
	Tasks   int            `json:"tasks"`
	Outcome map[string]int `json:"outcomes"`
	Saved   saving         `json:"saved"`
	Added   int            `json:"tries_added_at_least"`
	Unknown saving         `json:"unknown"` // what followed where it would have gone another way
	Delay   unit.Duration  `json:"delay"`   // how much longer the waits would have been, at least

	forks []record.WhatIf
}

type saving struct {
	Tries int        `json:"tries"`
	Cost  unit.Money `json:"cost_usd"`
}

// whatIf decides every recorded step anew under the policy of another file.
func (a *app) whatIf(file string, since time.Time) error {
	path := a.path(file)
	cfg, faults, err := config.Load(path)
	if err != nil {
		return withCode(exitConfig, err)
	}
	if faults, _ = task.Split(faults); len(faults) > 0 {
		a.faults(faults)
		return withCode(exitConfig, errors.New("the other loop.yaml is not valid: nothing was compared"))
	}
	c := comparison{Schema: "looprun.whatif/1", Policy: path, Outcome: map[string]int{}}
	err = a.survey(since, func(h record.History) error {
		c.add(record.Compare(h, other(cfg, h.State)))
		return nil
	})
	if err != nil {
		return err
	}
	return a.printComparison(c)
}

// other is the policy that a task would have been claimed with. What its
// generator could do is as it was, unless the file says otherwise.
func other(cfg config.Config, s round.State) round.Policy {
	p := cfg.Policy(s.Task)
	p.Summarizer, p.Compact = cfg.Generator.Summarizer, s.Policy.Compact
	if _, given := cfg.Origin("generator.resume"); !given {
		p.Resume = s.Policy.Resume
	}
	return p
}

func (c *comparison) add(w record.WhatIf) {
	c.Tasks++
	c.Outcome[w.Outcome]++
	c.Added += w.Added
	c.Delay += w.Delay
	switch w.Outcome {
	case record.SameEnd, record.Unfinished:
		return
	case record.EndsSooner:
		c.Saved.Tries, c.Saved.Cost = c.Saved.Tries+w.Tries, c.Saved.Cost+w.Cost
	case record.OtherWay:
		c.Unknown.Tries, c.Unknown.Cost = c.Unknown.Tries+w.Tries, c.Unknown.Cost+w.Cost
	}
	c.forks = append(c.forks, w)
}

func (a *app) printComparison(c comparison) error {
	if a.json {
		for _, w := range c.forks {
			a.printJSON(w)
		}
		a.printJSON(c)
		return nil
	}
	w := columns(a.stdout)
	for _, f := range c.forks {
		printFork(w, f)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%d of %d tasks would have gone another way\n", len(c.forks), c.Tasks)
	if c.Saved.Tries > 0 {
		fmt.Fprintf(a.stdout, "saved: %s, $%s\n", tries(c.Saved.Tries), c.Saved.Cost)
	}
	if c.Added > 0 {
		fmt.Fprintf(a.stdout, "added: at least %s; how these tasks would have ended no record can tell\n", tries(c.Added))
	}
	if c.Unknown.Tries > 0 {
		fmt.Fprintf(a.stdout, "unknown: %s, $%s came after a step that would have been another\n", tries(c.Unknown.Tries), c.Unknown.Cost)
	}
	if c.Delay != 0 {
		fmt.Fprintf(a.stdout, "waits up to there: %s\n", longer(c.Delay))
	}
	return nil
}

func printFork(w *tabwriter.Writer, f record.WhatIf) {
	ended := "not finished"
	if f.Ended != "" {
		ended = fmt.Sprintf("%s %s", ending(f.Ended), f.Reason)
	}
	fmt.Fprintf(w, "%s\t%s\tround %d try %d\t%s, not %s\t%s\n", f.TaskID, ended, f.Round, f.Try, f.Derived, f.Recorded, effect(f))
}

// effect says what a fork would have meant.
func effect(f record.WhatIf) string {
	switch f.Outcome {
	case record.EndsSooner:
		return fmt.Sprintf("saves %s, $%s", tries(f.Tries), f.Cost)
	case record.GoesOn:
		return "goes on"
	case record.EndsOther:
		return "ends otherwise"
	}
	return fmt.Sprintf("another way: %s followed", tries(f.Tries))
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

func longer(d unit.Duration) string {
	if d < 0 {
		return (-d).String() + " shorter"
	}
	return d.String() + " longer"
}
