package cli

import (
	"fmt"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

// dryRun prints what a pass would take up, in order, and changes nothing.
func (a *app) dryRun(cfg config.Config) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	begun, err := look.queue.List(task.Processing)
	if err != nil {
		return err
	}
	for _, c := range begun {
		a.would("go on with", c.ID(), "")
	}
	list, err := look.queue.Scan(func(t task.Task) []task.Fault { return t.Against(cfg.Known()) }, look.known, a.now())
	if err != nil {
		return err
	}
	for _, item := range list.Ready {
		a.would("claim", item.ID(), "")
	}
	for _, w := range list.Waiting {
		a.would("leave", w.Name, w.Why)
	}
	for _, bad := range list.Bad {
		a.would("quarantine", bad.Name, firstFault(bad))
	}
	return nil
}

func firstFault(b queue.Bad) string {
	if len(b.Faults) == 0 {
		return ""
	}
	return b.Faults[0].String()
}

func (l *looker) known(id string) bool {
	if l.reader == nil {
		return false
	}
	_, err := l.reader.State(id)
	return err == nil
}

func (a *app) would(what, name, why string) {
	if a.json {
		a.printJSON(map[string]string{"action": what, "name": name, "why": why})
		return
	}
	if why != "" {
		why = ": " + why
	}
	fmt.Fprintf(a.stdout, "%s %s%s\n", what, name, why)
}
