package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/round"
)

// A rechecked is what replay --checks prints for a check with --json.
type rechecked struct {
	Profile  string   `json:"profile"`
	Argv     []string `json:"argv"`
	Passed   bool     `json:"passed"`
	Recorded bool     `json:"recorded"` // whether it passed then
}

// recheck runs the recorded checks on the recorded commit and compares what
// they say with what is on record.
func (a *app) recheck(ctx context.Context, id string, recorded round.Evidence) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	l, err := loop.Open(ctx, loop.Options{Config: cfg, Environ: a.environ, Now: a.now})
	if err != nil {
		return err
	}
	ev, err := l.Recheck(ctx, id)
	if err = errors.Join(err, l.Close()); err != nil {
		return err
	}
	differs := len(ev.Checks) != len(recorded.Checks)
	for i, c := range ev.Checks {
		r := rechecked{Profile: c.Profile, Argv: c.Argv, Passed: c.Passed}
		if i < len(recorded.Checks) {
			r.Recorded = recorded.Checks[i].Passed
		}
		differs = differs || r.Passed != r.Recorded
		if a.json {
			a.printJSON(r)
			continue
		}
		fmt.Fprintf(a.stdout, "  %s `%s`: %s, on record: %s\n", r.Profile, strings.Join(r.Argv, " "), passed(r.Passed), passed(r.Recorded))
	}
	if differs {
		return withCode(exitFailed, errors.New("the checks do not say what is on record"))
	}
	return nil
}

func passed(ok bool) string {
	if ok {
		return "passed"
	}
	return "failed"
}
