package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/loop"
)

func (a *app) planCommand() *cobra.Command {
	var most count
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Tell what the next run would do, in order, and why not the others",
		Long: `plan changes nothing and starts nothing. It lists the tasks in the order in which a
run would take them up, then those that it would leave, each with the reason.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.plan(int(most)) },
	}
	cmd.Flags().Var(&most, "max-tasks", "as of a run that takes up at most `N` tasks")
	return cmd
}

func (a *app) plan(most int) error {
	cfg, err := a.startable()
	if err != nil {
		return err
	}
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	steps, err := a.steps(look, cfg)
	if err != nil {
		return err
	}
	obstacle, err := a.obstacle(look, cfg)
	if err != nil {
		return err
	}
	if steps, err = a.heldBack(look, cfg, steps); err != nil {
		return err
	}
	steps = inPass(kept(steps, obstacle, most))
	for _, s := range steps {
		a.would(s)
	}
	if n := cfg.Queue.MaxUnmerged; n > 0 {
		a.hint("no task is claimed while %d result branches are not merged (queue.max_unmerged): that is not looked at here", n)
	}
	if len(steps) == 0 {
		a.tell("nothing to do: tasks/inbox is empty")
	}
	return nil
}

// obstacle is what would keep a run from beginning anything now, "" if nothing.
func (a *app) obstacle(look *looker, cfg config.Config) (string, error) {
	if look.reader == nil {
		return "", nil
	}
	owner, busy, err := look.reader.Owner()
	if err != nil || busy {
		return fmt.Sprintf("an instance is at work, %s", owner), err
	}
	pause, paused, err := look.reader.PausedAt(a.now())
	if err != nil || paused {
		return a.paused(pause), err
	}
	if free, err := fsx.Free(filepath.Join(cfg.Dir, loop.LoopDir)); err == nil && free < int64(cfg.Queue.DiskFloor) {
		return fmt.Sprintf("%d MiB are free, below queue.disk_floor", free>>20), nil
	}
	return "", nil
}

// heldBack leaves the tasks whose claim depends on what is held for all tasks,
// or on money that was spent.
func (a *app) heldBack(look *looker, cfg config.Config, all []step) ([]step, error) {
	if look.reader == nil {
		return all, nil
	}
	circuits, _, err := look.reader.Breakers().List()
	if err != nil {
		return all, err
	}
	spent, err := look.reader.SpentOn(a.now())
	if err != nil {
		return all, err
	}
	until, poor := loop.UsedUpNow(cfg, a.environ, circuits, spent, a.now())
	held := loop.HeldNow(cfg, a.environ, circuits, a.now())
	for i, s := range all {
		if s.Action == "claim" && poor {
			all[i].Action = "leave"
			all[i].Why = fmt.Sprintf("stop.daily_cost_usd (%s) is used up until %s", cfg.Stop.DailyCost, a.local(until))
			continue
		}
		for _, h := range held {
			if s.Action == "claim" && (h.Profile == "" || slices.Contains(s.verify, h.Profile)) {
				all[i].Action = "leave"
				all[i].Why = fmt.Sprintf("%s is held until %s: %s", h.Target, a.local(h.Until), h.Reason)
				if _, base, ok := strings.Cut(h.Target, "@"); ok && h.Profile != "" {
					all[i].Why += ", as long as the base is " + base
				}
			}
		}
	}
	return all, nil
}

// kept leaves what an obstacle, or the limit of a pass, keeps from its turn.
func kept(all []step, obstacle string, most int) []step {
	taken := 0
	for i, s := range all {
		if !s.takesUp() {
			continue
		}
		taken++
		switch {
		case obstacle != "":
			all[i].Action, all[i].Why = "leave", obstacle
		case most > 0 && taken > most:
			all[i].Action, all[i].Why = "leave", fmt.Sprintf("not among the first %d", most)
		}
	}
	return all
}

func (s step) takesUp() bool { return s.Action == "claim" || s.Action == "go on with" }

// inPass puts what is taken up before what is left. A task that waits for
// others of the same pass may still have its turn in it.
func inPass(all []step) (sorted []step) {
	taken := map[string]bool{}
	for _, s := range all {
		if s.takesUp() {
			taken[s.Name] = true
			sorted = append(sorted, s)
		}
	}
	for _, s := range all {
		if s.takesUp() {
			continue
		}
		if of, ok := strings.CutPrefix(s.Why, "after "); ok && allIn(strings.Split(of, ", "), taken) {
			s.Why += ", in this pass if that is done"
		}
		sorted = append(sorted, s)
	}
	return sorted
}

func allIn(names []string, in map[string]bool) bool {
	for _, name := range names {
		if !in[name] {
			return false
		}
	}
	return true
}
