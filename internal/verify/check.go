package verify

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/signature/extract"
)

// A result is a check as it ran last, with the step that asked for it.
type result struct {
	round.CheckResult
	step step
}

// keep is how much of a stream is read for failures: what test tools print of
// a whole run, not what a program that has gone wild does.
const keep = 8 << 20

// check runs a step, and again as often as flaky_reruns allows where it fails
// for a reason of its own.
func (s *session) check(ctx context.Context, st step) (result, error) {
	res, err := s.once(ctx, st)
	for range s.FlakyReruns {
		if err != nil || res.Passed || res.Infra {
			break
		}
		if res, err = s.once(ctx, st); err == nil {
			res.Flaky = res.Passed
		}
	}
	return res, err
}

// again repeats a step after a fault of the environment.
func (s *session) again(ctx context.Context, res result) (result, error) {
	if res.Hidden {
		return s.hidden(ctx, res.step)
	}
	return s.check(ctx, res.step)
}

// once runs a step one time.
func (s *session) once(ctx context.Context, st step) (result, error) {
	dir, err := inside(s.Dir, st.Dir)
	if err != nil {
		return s.failed(st, signature.Failure{ID: st.Dir, Class: NoDirectory, Detail: err.Error()}), nil
	}
	limit := min(st.Timeout.Std(), s.left())
	if limit <= 0 {
		return s.failed(st, signature.Failure{Class: TimedOut, Detail: "no time was left to start it"}), nil
	}
	rep := reportOf(dir, st.Report)
	if err := rep.clear(); err != nil {
		return result{}, err
	}
	begun := time.Now()
	cmd := s.command(st, dir, limit)
	ran, err := child.Run(ctx, cmd)
	if err != nil {
		return result{}, err
	}
	if ran.Ended == child.Interrupted {
		return result{}, fmt.Errorf("check %q: %w", st.Run[0], ErrInterrupted)
	}
	res := s.judge(st, ran, rep, begun)
	if !ran.NotFound {
		res.Stdout = s.file(cmd.Stdout, ran.Stdout.SHA256, ran.Stdout.Bytes)
		res.Stderr = s.file(cmd.Stderr, ran.Stderr.SHA256, ran.Stderr.Bytes)
	}
	return res, nil
}

// command gives each run of a step its own logs: the log of a rerun is no
// reason to lose that of the first run.
func (s *session) command(st step, dir string, limit time.Duration) child.Cmd {
	s.ran[st.n]++
	name := fmt.Sprintf("check-%02d", st.n+1)
	if n := s.ran[st.n]; n > 1 {
		name = fmt.Sprintf("%s.rerun-%d", name, n-1)
	}
	logs := fsx.Scratch(s.LogDir)
	return child.Cmd{
		Argv: st.Run, Wrap: s.wrap, Dir: dir, Env: s.environ, Wall: limit, Grace: s.Grace,
		Stdout: logs.Path(name + ".stdout"), Stderr: logs.Path(name + ".stderr"),
		MaxOutput: s.MaxOutput, Keep: keep, RunID: s.RunID, Redact: s.Redact,
	}
}

// judge turns a run into a result: failures by the extractors, then what only
// looprun knows.
func (s *session) judge(st step, ran child.Result, rep report, begun time.Time) result {
	if ran.NotFound {
		return s.failed(st, signature.Failure{ID: st.Run[0], Class: ToolMissing, Detail: whyNotRun(ran)})
	}
	document, note := rep.read(begun)
	found := extract.Extract(extract.Output{
		Argv: st.Run, ExitCode: ran.ExitCode, Signal: strings.TrimPrefix(ran.Signal, "SIG"), TimedOut: ran.Ended == child.Timeout,
		Stdout: text(ran.Stdout), Stderr: text(ran.Stderr), Report: document, Format: st.Format,
		WorkTree: realDirs(s.Dir), Temp: append(realDirs(s.tmp), realDirs(s.home)...), Masks: s.masks,
	})
	res := s.result(st, found.Check)
	res.DurationMS = ran.Duration.Milliseconds()
	res.Infra = found.Infra && len(found.Check.Failures) > 0
	if res.Notes = found.Notes; note != "" {
		res.Notes = append(slices.Clone(res.Notes), note)
	}
	if res.ExitCode == 0 && res.Signal == "" && ran.Ended == child.Exit {
		res.Failures = append(res.Failures, s.unseen(st, res.Tests)...)
		res.Passed = len(res.Failures) == 0
	}
	return res
}

// whyNotRun is what the launcher said, where there was one.
func whyNotRun(ran child.Result) string {
	if said := strings.TrimSpace(string(ran.Stderr.Head)); said != "" {
		return said
	}
	return "command not found or not executable"
}

// unseen are the failures of a check that says it passed: no test ran, or not
// all of those that ran on the base.
func (s *session) unseen(st step, now signature.Tests) []signature.Failure {
	if now.Known && now.Run == 0 {
		return []signature.Failure{{Class: NoTestsRan}}
	}
	if st.n >= len(s.Base) {
		return nil
	}
	return Vanished(s.Base[st.n], now, s.Changed)
}

// failed is the result of a step that did not run, or not as it should.
func (s *session) failed(st step, f signature.Failure) result {
	res := s.result(st, signature.Check{Argv: st.Run, ExitCode: -1, Failures: []signature.Failure{f}})
	res.Infra = strings.HasPrefix(f.Class, infraPrefix)
	none := round.File{Missing: "the command did not run"}
	res.Stdout, res.Stderr = none, none
	return res
}

func (s *session) result(st step, c signature.Check) result {
	return result{CheckResult: round.CheckResult{Check: c, Profile: st.profile}, step: st}
}

// text is what is known of a stream: all of it, or head and tail.
func text(s child.Stream) []byte {
	parts := [][]byte{s.Head, s.Tail}
	if s.Total > keep {
		parts = [][]byte{s.Head, []byte("\n"), s.Tail}
	}
	return bytes.Join(parts, nil)
}

// inside resolves a folder of the tree, which no link may lead out of.
func inside(tree, dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	if !filepath.IsLocal(filepath.FromSlash(dir)) {
		return "", fmt.Errorf("%q is outside of the tree", dir)
	}
	root, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return "", fmt.Errorf("%q is missing", dir)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return "", fmt.Errorf("%q is missing", dir)
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q is outside of the tree", dir)
	}
	return real, nil
}
