package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/task"
)

// canary runs the profiles with the allowed sources emptied. A check that says
// the same then does not look at the tree that it is given, and would pass
// whatever the generator did.
func (r Runner) canary(ctx context.Context, j PreflightJob, base round.Evidence, res round.PreflightResult) (round.PreflightResult, error) {
	asked := slices.DeleteFunc(slices.Clone(j.Profiles), func(p Profile) bool {
		reason, skip := j.CanarySkip[p.Name]
		if skip {
			res.Skipped = append(res.Skipped, p.Name+": "+reason)
		}
		return skip || len(ofProfile(base, p.Name)) == 0
	})
	if len(asked) == 0 {
		return res, nil
	}
	dir, err := j.EmptiedTree(ctx, j.Allow)
	if err != nil {
		return res, err
	}
	// A flaky check, or one that fails by the environment, is told by being
	// different: that is enough here.
	j.FlakyReruns, j.InfraReruns = 0, 0
	emptied, err := r.on(ctx, j, dir, "canary", asked)
	if err != nil {
		return res, err
	}
	for _, p := range asked {
		if sameEvidence(ofProfile(base, p.Name), ofProfile(emptied, p.Name)) {
			res.Reason, res.Profile, res.Detail = task.CheckReadsOtherTree, p.Name, culprit(j.Culprits)
			return res, nil
		}
	}
	return res, nil
}

// sameEvidence compares all that a failure signature is made of.
func sameEvidence(a, b []round.CheckResult) bool {
	return signature.Of(round.Evidence{Checks: a}.Visible()).Same(signature.Of(round.Evidence{Checks: b}.Visible()))
}

func culprit(files []string) string {
	const seen = "the check says the same with the sources emptied, so it reads another tree or none"
	if len(files) == 0 {
		return seen
	}
	shown := files[:min(len(files), 5)]
	return fmt.Sprintf("%s; shared files that point into the checkout: %s", seen, strings.Join(shown, ", "))
}
