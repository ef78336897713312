package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// queueFiles looks at what stands in the folders of tasks.
func (x *examination) queueFiles() {
	look, err := x.look()
	if err != nil {
		x.failed("queue", err)
		return
	}
	defer look.close()
	counts := map[task.Stage]int{}
	for _, stage := range task.Stages {
		cards, err := look.queue.List(stage)
		if err != nil {
			x.failed("queue", err)
			return
		}
		counts[stage] = len(cards)
		for _, c := range cards {
			switch {
			case c.Quarantined:
				x.found(notable, "queue", fmt.Sprintf("looprun show %s tells what is wrong with it", c.ID()), "%q in blocked is no task", c.Name)
			case stage == task.Processing && !look.known(c.ID()):
				x.found(notable, "queue", "looprun run takes it up", "%s stands in processing without a record", c.ID())
			case stage != task.Inbox && stage != task.Processing && !look.known(c.ID()):
				x.found(notable, "queue", "move it to tasks/inbox if it is to be done", "%s stands in %s, but there is no record of it", c.ID(), stage)
			}
		}
	}
	x.found(fine, "queue", "", "%d waiting, %d under way, %d done, %d blocked, %d for you",
		counts[task.Inbox], counts[task.Processing], counts[task.Done], counts[task.BlockedStage], counts[task.NeedsInputStage])
}

// records reads every journal, and compares the views with them.
func (x *examination) records() {
	path := filepath.Join(x.cfg.Dir, loop.LoopDir)
	r, err := record.NewReader(path)
	if errors.Is(err, os.ErrNotExist) {
		x.found(fine, "journals", "", "none yet")
		return
	}
	if err != nil {
		x.failed("journals", err)
		return
	}
	defer r.Close()
	if pause, paused, err := r.PausedAt(x.now()); err == nil && paused {
		x.found(notable, "pause", "looprun resume lets it go on", "%s", x.paused(pause))
	}
	ids, err := r.Tasks()
	if err != nil {
		x.failed("journals", err)
		return
	}
	slices.Sort(ids)
	_, busy, err := r.Owner()
	if err != nil {
		x.failed("lock", err)
		return
	}
	x.journals(r, ids, busy)
	if !busy {
		x.orphans(path, ids)
	}
}

// journals are read to their ends. The views of an instance at work may lag.
func (x *examination) journals(r *record.Reader, ids []string, busy bool) {
	damaged, differing := 0, 0
	for _, id := range ids {
		names, err := r.Differing(id)
		switch {
		case errors.Is(err, record.ErrDamaged):
			damaged++
			x.found(bad, "journals", fmt.Sprintf("the lines before it are good: looprun replay %s; restore the file from a backup, or move .loop/tasks/%s away and give the task a new id", id, id), "%v", err)
		case err != nil:
			x.failed("journals", err)
		case len(names) > 0 && !busy:
			differing++
			x.found(notable, "views", "looprun repair renders them again", "not as the journal of %s says: %s", id, few(names))
		}
	}
	if damaged == 0 {
		x.found(fine, "journals", "", "%s, each line follows from the one before it", plural(len(ids), "journal"))
	}
	if differing == 0 && !busy {
		x.found(fine, "views", "", "all as their journals say")
	}
}

// orphans are what a looprun that died has left running.
func (x *examination) orphans(path string, ids []string) {
	n, err := loop.Orphans(path, ids)
	switch {
	case err != nil:
		x.failed("orphans", err)
	case n > 0:
		x.found(notable, "orphans", "looprun run ends them before it starts anything", "processes of a looprun that died are still running: %d", n)
	default:
		x.found(fine, "orphans", "", "nothing is left running")
	}
}
