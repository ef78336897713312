package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/loop"
)

// A drilled is what doctor --drill --json prints for a fault.
type drilled struct {
	Fault   string   `json:"fault"`
	Want    string   `json:"want"`
	Got     []string `json:"got"`
	Result  string   `json:"result"` // ok, bad or skipped
	Skipped string   `json:"skipped,omitempty"`
}

// skipped is the level of a fault that could not be planted.
const skipped = "skip"

// drill plants faults and tells which were caught.
func (a *app) drill(ctx context.Context) error {
	cfg, err := a.startable()
	if err != nil {
		return err
	}
	p := a.newProgress()
	defer p.close()
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Environ: a.environ, Observer: p, Now: a.now})
	if err != nil {
		return asSignal(ctx, err)
	}
	missed, left := 0, 0
	err = l.Drill(ctx, func(d loop.Drilled) {
		switch {
		case d.Skipped != "":
			left++
		case !d.Caught:
			missed++
		}
		a.printDrilled(d)
	})
	if errors.Is(err, loop.ErrNoDrill) {
		err = withCode(exitHeld, err)
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return asSignal(ctx, err)
	}
	if missed > 0 {
		return withCode(exitHeld, fmt.Errorf("%s not caught by the rule that is for it", plural(missed, "fault")))
	}
	if left > 0 {
		a.hint("%s could not be tried here", plural(left, "fault"))
	}
	return nil
}

func (a *app) printDrilled(d loop.Drilled) {
	level, text := fine, fmt.Sprintf("%s: %s", d.Fault, d.Want)
	switch {
	case d.Skipped != "":
		level, text = skipped, fmt.Sprintf("%s: %s", d.Fault, d.Skipped)
	case !d.Caught:
		level, text = bad, fmt.Sprintf("%s: %s was to say so, but: %s", d.Fault, d.Want, said(d.Got))
	}
	if a.json {
		a.printJSON(drilled{d.Fault, d.Want, append([]string{}, d.Got...), level, d.Skipped})
		return
	}
	fmt.Fprintf(a.stdout, "%-4s  %s\n", level, oneLine(text))
}

func said(rules []string) string {
	if len(rules) == 0 {
		return "nothing did"
	}
	return strings.Join(rules, ", ")
}
