package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
)

// A PreflightJob asks whether the checks of a task can be trusted. The job's
// Dir, Base and Changed are not looked at.
type PreflightJob struct {
	Job
	Baseline   bool              // judge what the checks say of the base
	Canary     bool              // see whether they notice that the sources are gone
	CanarySkip map[string]string // profile: reason

	Allow    []string // loop.yaml's globs: what EmptiedTree empties
	Checkout string   // the user's checkout, to find files that are in no commit yet; "" none
	// Culprits are files in shared folders that hold absolute paths into the
	// checkout: the usual reason for a check that reads another tree.
	Culprits []string

	// BaseTree and EmptiedTree prepare a tree and give its path. The one is
	// used before the other is asked for, so both may be the same folder.
	BaseTree    func(context.Context) (string, error)
	EmptiedTree func(ctx context.Context, allow []string) (string, error)
}

// Preflight runs the checks on the base, and once more with the sources
// emptied. A result with a reason holds the task: the checks are at fault, not
// the generator. An error means that there is no verdict.
func (r Runner) Preflight(ctx context.Context, j PreflightJob) (round.PreflightResult, error) {
	begun := time.Now()
	res, err := r.preflight(ctx, j)
	res.DurationMS = time.Since(begun).Milliseconds()
	if err != nil {
		return res, fmt.Errorf("preflight: %w", err)
	}
	return res, nil
}

func (r Runner) preflight(ctx context.Context, j PreflightJob) (round.PreflightResult, error) {
	j.SkipHidden, j.Base, j.Changed, j.Tree = true, nil, nil, ""
	dir, err := j.BaseTree(ctx)
	if err != nil {
		return round.PreflightResult{}, err
	}
	var base round.Evidence
	if j.Baseline || j.Canary {
		if base, err = r.on(ctx, j, dir, "base", j.Profiles); err != nil {
			return round.PreflightResult{}, err
		}
	}
	// Looked at after the run, which may have built what it names.
	if res, held := notInBase(j, dir); held {
		return res, nil
	}
	if !j.Baseline && !j.Canary {
		return round.PreflightResult{}, nil
	}
	res := baseline(j, base)
	if res.Reason != "" || !j.Canary {
		return res, nil
	}
	return r.canary(ctx, j, base, res)
}

// on runs profiles on one of the two trees, with logs of its own.
func (r Runner) on(ctx context.Context, j PreflightJob, dir, name string, profiles []Profile) (round.Evidence, error) {
	job := j.Job
	job.Dir, job.Profiles = dir, profiles
	job.LogDir = filepath.Join(j.LogDir, name)
	return r.Run(ctx, job)
}

// notInBase finds a file that a check names and that only the checkout has:
// somebody forgot to commit it, and no tree of a task will ever hold it.
func notInBase(j PreflightJob, dir string) (round.PreflightResult, bool) {
	if j.Checkout == "" {
		return round.PreflightResult{}, false
	}
	for _, p := range j.Profiles {
		for _, c := range p.Checks {
			for _, name := range namedBy(c) {
				if name != c.Report && isFile(filepath.Join(j.Checkout, name)) && !isFile(filepath.Join(dir, name)) {
					return round.PreflightResult{Reason: task.CheckNotInBase, Profile: p.Name, Detail: name + " is in the checkout but not in the base: commit it"}, true
				}
			}
		}
	}
	return round.PreflightResult{}, false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// baseline judges the evidence of the base. A task's own profile may be red,
// that is what the task is about, but it must run something.
func baseline(j PreflightJob, ev round.Evidence) round.PreflightResult {
	res := round.PreflightResult{Tests: testsOf(j.Job, ev)}
	if !j.Baseline {
		return res
	}
	for _, p := range j.Profiles {
		checks := ofProfile(ev, p.Name)
		if reason, detail := doubt(p, checks); reason != "" {
			res.Reason, res.Profile, res.Detail = reason, p.Name, detail
			return res
		}
		if !p.Always && len(checks) > 0 && !slices.ContainsFunc(checks, isRed) {
			res.AlreadyPassing = append(res.AlreadyPassing, p.Name)
		}
	}
	return res
}

// doubt says why a profile cannot judge a task, "" where it can.
func doubt(p Profile, checks []round.CheckResult) (task.Reason, string) {
	for _, c := range checks {
		switch {
		case c.Infra:
			return task.CheckEnvironment, told(c)
		case hasClass(c, NoTestsRan):
			return task.BaselineRed, strings.Join(c.Argv, " ") + ": no test ran on the base"
		case p.Always && isRed(c):
			return task.BaselineRed, told(c)
		}
	}
	return "", ""
}

func isRed(c round.CheckResult) bool { return !c.Passed }

// testsOf puts the tests of each check in the order of the job; hidden checks
// have none.
func testsOf(j Job, ev round.Evidence) []signature.Tests {
	visible, _ := j.steps()
	total := 0
	for _, p := range j.Profiles {
		total += len(p.Checks)
	}
	tests := make([]signature.Tests, total)
	for i, st := range visible {
		tests[st.n] = ev.Checks[i].Tests
	}
	return tests
}

func ofProfile(ev round.Evidence, name string) []round.CheckResult {
	var list []round.CheckResult
	for _, c := range ev.Checks {
		if c.Profile == name {
			list = append(list, c)
		}
	}
	return list
}

func hasClass(c round.CheckResult, class string) bool {
	return slices.ContainsFunc(c.Failures, func(f signature.Failure) bool { return f.Class == class })
}

// told is a check's failure in one line.
func told(c round.CheckResult) string {
	line := strings.Join(c.Argv, " ")
	for _, f := range c.Failures {
		return line + ": " + strings.Join(slices.DeleteFunc([]string{f.ID, f.Class, f.Detail}, func(s string) bool { return s == "" }), ": ")
	}
	return line
}
