package loop

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/workspace"
)

// base is the commit that a task starts from: workspace.base, with what was
// accepted of the tasks that it comes after merged onto it. Where these do not
// go together, conflict says so.
func (p *pass) base(ctx context.Context, space *workspace.Space, t task.Task) (commit, conflict string, err error) {
	commit, _, err = space.Base(ctx)
	if err != nil || len(t.After) == 0 || p.cfg.Workspace.Mode == config.InPlace {
		return commit, "", err
	}
	accepted, err := p.accepted(t.After)
	if err != nil {
		return "", "", err
	}
	stacked, err := space.Stack(ctx, commit, accepted)
	var clash *workspace.Conflict
	if errors.As(err, &clash) {
		return commit, clash.Error(), nil
	}
	return stacked, "", err
}

// accepted are the commits that were accepted of the tasks ids, or of the last
// follow-up of each that is done. One that changed nothing has none.
func (p *pass) accepted(ids []string) ([]string, error) {
	cards, err := p.queue.List(task.Done)
	if err != nil {
		return nil, err
	}
	r, err := p.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var commits []string
	for _, id := range ids {
		last := -1
		var result record.ResultView
		for _, c := range cards {
			n := followUp(c.ID(), id)
			if n <= last {
				continue
			}
			if result, err = r.Result(c.ID()); err != nil {
				return nil, fmt.Errorf("find what was accepted of %s: %w", id, err)
			}
			last = n
		}
		if result.Commit != "" && result.Commit != result.Base {
			commits = append(commits, result.Commit)
		}
	}
	return commits, nil
}

// followUp is the number of a follow-up of a task: 0 for the task itself, n for
// its id with -n, -1 for any other.
func followUp(id, of string) int {
	if id == of {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(id, of+"-"))
	if !strings.HasPrefix(id, of+"-") || err != nil || n < 2 {
		return -1
	}
	return n
}
