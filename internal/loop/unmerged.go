package loop

import (
	"context"
	"strings"

	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// tooManyUnmerged ends a pass. It is no reason of a decision: no task is held
// for it, they are only not claimed.
const tooManyUnmerged task.Reason = "max_unmerged"

// unmerged reports that as many result branches wait for a person as
// queue.max_unmerged allows. Then nothing new is claimed.
func (p *pass) unmerged(ctx context.Context, space *workspace.Space) (bool, error) {
	limit := p.cfg.Queue.MaxUnmerged
	if limit == 0 {
		return false, nil
	}
	base, _, err := space.Base(ctx)
	if err != nil {
		return false, err
	}
	n, err := space.Unmerged(ctx, strings.ReplaceAll(p.cfg.Land.Branch, "{id}", "*"), base)
	if err != nil || n < limit {
		return false, err
	}
	p.warn("nothing is claimed: %d result branches are not merged yet, and queue.max_unmerged is %d", n, limit)
	p.end(tooManyUnmerged)
	return true, nil
}
