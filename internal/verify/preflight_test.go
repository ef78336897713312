package verify

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// flight is a preflight whose base has files, and whose emptied tree has those
// of emptied instead.
func flight(t *testing.T, files, emptied map[string]string, profiles ...Profile) PreflightJob {
	t.Helper()
	j := jobOf(t, files)
	j.Profiles = profiles
	dir := j.Dir
	j.Dir = "not looked at"
	other := filepath.Join(t.TempDir(), "emptied")
	writeTree(t, other, emptied)
	return PreflightJob{
		Job: j, Baseline: true, Canary: true, Allow: []string{"src/**"},
		BaseTree: func(context.Context) (string, error) { return dir, nil },
		EmptiedTree: func(_ context.Context, allow []string) (string, error) {
			if diff := cmp.Diff([]string{"src/**"}, allow); diff != "" {
				t.Errorf("EmptiedTree is given other globs:\n%s", diff)
			}
			return other, nil
		},
	}
}

func TestPreflight(t *testing.T) {
	const src = "src/verdict.txt"
	green, red, empty := map[string]string{src: "0\n" + tapOf("adds")}, map[string]string{src: "1\n" + tapOf("-adds", "subs")}, map[string]string{src: "1\nerror: nothing to import\n"}
	own := func(c ...round.Check) Profile { return Profile{Name: "own", Checks: c} }
	always := func(c ...round.Check) Profile { return Profile{Name: "all", Always: true, Checks: c} }
	reads := fake(t, "file", src)
	tests := map[string]struct {
		files, emptied map[string]string
		profiles       []Profile
		change         func(*PreflightJob)
		want           round.PreflightResult
	}{
		"a red check of the task is the start":      {red, empty, []Profile{own(reads)}, nil, round.PreflightResult{}},
		"a green one is told":                       {green, empty, []Profile{own(reads)}, nil, round.PreflightResult{AlreadyPassing: []string{"own"}}},
		"a green one of always is as it should be":  {green, empty, []Profile{always(reads)}, nil, round.PreflightResult{}},
		"a red one of always holds":                 {red, empty, []Profile{own(reads), always(reads)}, nil, round.PreflightResult{Reason: task.BaselineRed, Profile: "all", Detail: "adds"}},
		"green whatever the sources are":            {green, empty, []Profile{own(fake(t, "exit", "0"))}, nil, round.PreflightResult{Reason: task.CheckReadsOtherTree, Profile: "own", AlreadyPassing: []string{"own"}, Detail: "reads another tree"}},
		"red in the same way whatever they are":     {red, red, []Profile{own(reads)}, nil, round.PreflightResult{Reason: task.CheckReadsOtherTree, Profile: "own", Detail: "reads another tree"}},
		"one check of several that looks is enough": {green, empty, []Profile{own(fake(t, "exit", "0"), reads)}, nil, round.PreflightResult{AlreadyPassing: []string{"own"}}},
		"the culprit is named":                      {green, empty, []Profile{own(fake(t, "exit", "0"))}, func(j *PreflightJob) { j.Culprits = []string{".venv/lib/x.pth"} }, round.PreflightResult{Reason: task.CheckReadsOtherTree, Profile: "own", AlreadyPassing: []string{"own"}, Detail: ".venv/lib/x.pth"}},
		"a profile may be left out, with a reason":  {green, empty, []Profile{own(fake(t, "exit", "0"))}, func(j *PreflightJob) { j.CanarySkip = map[string]string{"own": "docs only"} }, round.PreflightResult{Skipped: []string{"own: docs only"}, AlreadyPassing: []string{"own"}}},
		"no canary":                  {green, empty, []Profile{own(fake(t, "exit", "0"))}, func(j *PreflightJob) { j.Canary = false }, round.PreflightResult{AlreadyPassing: []string{"own"}}},
		"no baseline judges nothing": {red, empty, []Profile{always(reads)}, func(j *PreflightJob) { j.Baseline = false }, round.PreflightResult{}},
		"no test ran":                {green, empty, []Profile{own(fake(t, "say", tapOfNone, "0"))}, nil, round.PreflightResult{Reason: task.BaselineRed, Profile: "own", Detail: "no test ran on the base"}},
		"a tool that is missing":     {green, empty, []Profile{own(round.Check{Run: []string{"no-such-tool"}, Timeout: reads.Timeout})}, nil, round.PreflightResult{Reason: task.CheckEnvironment, Profile: "own", Detail: "no-such-tool"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := flight(t, tt.files, tt.emptied, tt.profiles...)
			if tt.change != nil {
				tt.change(&j)
			}
			got, err := patient(nil).Preflight(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.Detail, tt.want.Detail) || tt.want.Detail == "" && got.Detail != "" {
				t.Errorf("detail = %q; want %q in it", got.Detail, tt.want.Detail)
			}
			got.Detail, got.DurationMS, got.Tests = tt.want.Detail, 0, nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Preflight differs (-want +got):\n%s", diff)
			}
		})
	}
}

// The tests of the base stand in the order of the checks, so that a check of
// the candidate finds its own; hidden checks do not run, but keep their place.
func TestPreflightKeepsTheTestsOfEachCheck(t *testing.T) {
	hidden := fake(t, "exit", "1")
	hidden.Hidden = "nowhere"
	j := flight(t, map[string]string{"src/a": "1\n" + tapOf("adds", "-subs")}, nil,
		Profile{Name: "own", Checks: []round.Check{hidden, fake(t, "file", "src/a"), fake(t, "exit", "0")}})
	res, err := patient(nil).Preflight(t.Context(), j)
	if err != nil || res.Reason != "" {
		t.Fatalf("Preflight = %+v, %v; want no reason to hold", res, err)
	}
	if len(res.Tests) != 3 || res.Tests[0].Known || res.Tests[1].Run != 2 || len(res.Tests[1].Green) != 1 || res.Tests[2].Known {
		t.Errorf("tests = %+v; want those of the second check in the second place of three", res.Tests)
	}
}

func TestPreflightFindsAFileThatIsNotCommitted(t *testing.T) {
	j := flight(t, map[string]string{"src/a": "0\n", "acceptance/old.test.mjs": ""}, nil, Profile{Name: "own", Checks: []round.Check{fake(t, "cat", "acceptance/new.test.mjs")}})
	j.Checkout = t.TempDir()
	writeTree(t, j.Checkout, map[string]string{"acceptance/new.test.mjs": "x"})
	res, err := patient(nil).Preflight(t.Context(), j)
	if err != nil || res.Reason != task.CheckNotInBase || !strings.HasPrefix(res.Detail, "acceptance/new.test.mjs ") {
		t.Errorf("Preflight = %+v, %v; want check_not_in_base and the file", res, err)
	}
	j.Profiles[0].Checks = []round.Check{fake(t, "turns", "acceptance/new.test.mjs", "0 built")}
	if res, err := patient(nil).Preflight(t.Context(), j); err != nil || res.Reason == task.CheckNotInBase {
		t.Errorf("Preflight = %+v, %v; want no word of a file that the check itself makes", res, err)
	}
	j.Checkout = ""
	if res, err := patient(nil).Preflight(t.Context(), j); err != nil || res.Reason == task.CheckNotInBase {
		t.Errorf("Preflight without a checkout = %+v, %v", res, err)
	}
}

func TestPreflightWithoutATreeIsNoVerdict(t *testing.T) {
	fault := errors.New("no tree")
	j := flight(t, map[string]string{"src/a": "0\n"}, nil, Profile{Name: "own", Checks: []round.Check{fake(t, "file", "src/a")}})
	j.EmptiedTree = func(context.Context, []string) (string, error) { return "", fault }
	if _, err := patient(nil).Preflight(t.Context(), j); !errors.Is(err, fault) {
		t.Errorf("Preflight = %v; want %v", err, fault)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := patient(nil).Preflight(ctx, j); !errors.Is(err, ErrInterrupted) {
		t.Errorf("Preflight = %v; want ErrInterrupted", err)
	}
}
