package verify

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// Run runs all checks of a job, whatever the first ones say: evidence is whole
// or none. Hidden checks come last, and only where all others passed. An error
// means that there is no verdict; it holds ErrInterrupted if somebody wanted so.
func (r Runner) Run(ctx context.Context, j Job) (round.Evidence, error) {
	s, err := newSession(j)
	if err != nil {
		return round.Evidence{}, fmt.Errorf("verify %q: %w", j.Dir, err)
	}
	defer s.close()
	results, err := r.results(ctx, s)
	if err != nil {
		return round.Evidence{}, fmt.Errorf("verify %q: %w", j.Dir, err)
	}
	ev := summarize(results)
	ev.RedToGreen = redToGreen(j.Base, results)
	ev.Tree = j.Tree
	ev.DurationMS = time.Since(s.begun).Milliseconds()
	for _, res := range results {
		ev.Checks = append(ev.Checks, res.CheckResult)
	}
	return ev, nil
}

// results runs the visible checks, those again that the environment failed,
// and the hidden ones where it comes to that.
func (r Runner) results(ctx context.Context, s *session) ([]result, error) {
	visible, hidden := s.steps()
	results := make([]result, 0, len(visible)+len(hidden))
	for _, st := range visible {
		res, err := s.check(ctx, st)
		if err != nil {
			return nil, err
		}
		results = append(results, res)
	}
	if err := r.rerunInfra(ctx, s, results); err != nil {
		return nil, err
	}
	if !allPassed(results) {
		return results, nil
	}
	for _, st := range hidden {
		res, err := s.hidden(ctx, st)
		if err != nil {
			return nil, err
		}
		results = append(results, res)
	}
	return results, r.rerunInfra(ctx, s, results)
}

// rerunInfra gives the environment another chance with every check that failed
// by nothing else, whatever the others say: a fault that comes and goes would
// make one failure look like many.
func (r Runner) rerunInfra(ctx context.Context, s *session, results []result) error {
	for rerun := range s.InfraReruns {
		if !slices.ContainsFunc(results, func(res result) bool { return res.Infra }) {
			return nil
		}
		if err := r.wait(ctx, rerun); err != nil {
			return fmt.Errorf("wait for the environment: %w", ErrInterrupted)
		}
		for i, res := range results {
			if !res.Infra {
				continue
			}
			var err error
			if results[i], err = s.again(ctx, res); err != nil {
				return err
			}
		}
	}
	return nil
}

func allPassed(results []result) bool {
	for _, r := range results {
		if !r.Passed {
			return false
		}
	}
	return true
}

// onlyInfra reports failures of which all are the environment's.
func onlyInfra(results []result) bool {
	for _, r := range results {
		if !r.Passed && !r.Infra {
			return false
		}
	}
	return !allPassed(results)
}

// summarize says what the results come to.
func summarize(results []result) round.Evidence {
	ev := round.Evidence{Boundary: []signature.BoundaryError{}, Checks: []round.CheckResult{}, Infra: onlyInfra(results)}
	for _, r := range results {
		ev.Hidden = ev.Hidden || r.Hidden && !r.Passed && !ev.Infra
	}
	return ev
}

// A session is a job under way: what its checks share.
type session struct {
	Job
	begun   time.Time
	home    string // HOME of the checks
	tmp     string // their TMPDIR
	scratch fsx.Scratch
	environ []string
	wrap    []string // the launcher that confines them
	masks   []signature.Masker
	ran     map[int]int // how often each step was started
}

func newSession(j Job) (*session, error) {
	s := &session{Job: j, begun: time.Now(), ran: map[int]int{}}
	for _, m := range j.Masks {
		masker, err := signature.CompileMask(m.Name, m.Regex)
		if err != nil {
			return nil, fmt.Errorf("mask %q: %w", m.Name, err)
		}
		s.masks = append(s.masks, masker)
	}
	if err := fsx.Scratch(j.LogDir).MkdirAll(""); err != nil {
		return nil, err
	}
	var err error
	if s.scratch, err = fsx.Scratch("").MkdirTemp(cmp.Or(j.Temp, "looprun-check-")); err != nil {
		return nil, err
	}
	s.home, s.tmp = s.scratch.Path("home"), s.scratch.Path("tmp")
	for _, dir := range []string{"home", "tmp"} {
		if err := s.scratch.MkdirAll(dir); err != nil {
			s.close()
			return nil, err
		}
	}
	s.environ = environ(j.Env, s.home, s.tmp)
	s.wrap = j.Sandbox.Writing(realDir(j.Dir), realDir(string(s.scratch))).Wrap()
	return s, nil
}

// close removes what the checks wrote outside the tree. What cannot be removed
// is left to the system, which owns that place.
func (s *session) close() { _ = s.scratch.RemoveAll("") }

// left is what remains of the task's time.
func (s *session) left() time.Duration { return s.Left - time.Since(s.begun) }

// file describes a log for the record.
func (s *session) file(path, sum string, n int64) round.File {
	rel, err := filepath.Rel(s.TaskDir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return round.File{Missing: "outside of the task's records"}
	}
	return round.File{Path: filepath.ToSlash(rel), SHA256: sum, Bytes: n}
}

// realDirs gives a folder and where its links lead: tools print either.
func realDirs(dir string) []string {
	return slices.Compact([]string{dir, realDir(dir)})
}

// realDir is where the links of a folder lead.
func realDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}
