package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"looprun.dev/looprun/internal/loop"
)

// A probed is what doctor --probe --json prints for a profile.
type probed struct {
	Profile    string         `json:"profile"`
	Runs       int            `json:"runs"`
	Passed     int            `json:"passed"`
	Signatures map[string]int `json:"signatures"`
	Stable     bool           `json:"stable"`
	Bound      float64        `json:"bound"` // share of runs that may differ, at 95 % confidence; only where stable
	SlowestMS  int64          `json:"slowest_ms"`
}

// probe runs every check n times on the base and tells which of them can be
// trusted to say the same of the same tree.
func (a *app) probe(ctx context.Context, n int) error {
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
	unstable := 0
	err = l.Probe(ctx, n, func(p loop.Probed) {
		if !p.Stable() {
			unstable++
		}
		a.printProbed(p)
	})
	if err = errors.Join(err, l.Close()); err != nil {
		return asSignal(ctx, err)
	}
	if unstable > 0 {
		return withCode(exitHeld, fmt.Errorf("%s not stable: mend them, or set verification.flaky_reruns", plural(unstable, "profile")))
	}
	return nil
}

func (a *app) printProbed(p loop.Probed) {
	if a.json {
		a.printJSON(probed{p.Profile, p.Runs, p.Passed, p.Signatures, p.Stable(), bound(p.Runs), p.Slowest.Milliseconds()})
		return
	}
	level, text := fine, fmt.Sprintf("%d of %d runs passed", p.Passed, p.Runs)
	switch {
	case !p.Stable():
		level = bad
		text += fmt.Sprintf(", with %s: %s", plural(len(p.Signatures), "failure signature"), p.First)
	case p.Passed == 0:
		text += fmt.Sprintf(", all with the signature %s", strings.Join(keys(p.Signatures), ""))
	}
	if p.Stable() {
		text += fmt.Sprintf("; at 95 %% confidence less than %.0f %% of runs differ", math.Ceil(100*bound(p.Runs)))
	}
	fmt.Fprintf(a.stdout, "%-4s  %-10s  %s\n", level, p.Profile, oneLine(text))
}

// bound is the largest share of differing runs that n equal ones leave room for
// in one case of twenty: (1-share)^n = 0.05.
func bound(n int) float64 { return 1 - math.Pow(0.05, 1/float64(n)) }

func keys(m map[string]int) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}
