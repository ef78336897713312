package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

// recent is how many finished tasks a list shows unless all are asked for.
const recent = 20

// An entry is one task of a list.
type entry struct {
	ID      string      `json:"id"`
	Stage   task.Stage  `json:"stage"`
	Phase   string      `json:"phase,omitempty"`
	Round   int         `json:"round,omitempty"`
	Tries   int         `json:"tries,omitempty"`
	Reason  task.Reason `json:"reason,omitempty"`
	Waiting string      `json:"waiting_for,omitempty"`
	Until   string      `json:"not_before,omitempty"`
	File    string      `json:"file,omitempty"` // of what is in quarantine
}

func (a *app) listCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tasks by where they stand",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.list(all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("every finished task, not only the last %d", recent))
	return cmd
}

func (a *app) list(all bool) error {
	look, err := a.look()
	if err != nil {
		return err
	}
	defer look.close()
	entries, more, err := look.entries(all)
	if err != nil {
		return err
	}
	if a.json {
		for _, e := range entries {
			a.printJSON(e)
		}
		return nil
	}
	w := columns(a.stdout)
	for _, e := range entries {
		fmt.Fprintln(w, strings.TrimRight(strings.Join([]string{e.ID, string(e.Stage), e.describe()}, "\t"), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more > 0 {
		a.hint("%d more finished tasks: looprun list --all", more)
	}
	return nil
}

func (e entry) describe() string {
	var parts []string
	if e.Round > 0 {
		parts = append(parts, rounds(e.Round))
	}
	if e.Phase != "" && e.Phase != "finished" {
		parts = append(parts, e.Phase)
	}
	if e.Reason != "" {
		parts = append(parts, string(e.Reason))
	}
	if e.Waiting != "" {
		parts = append(parts, "waits for "+strings.ReplaceAll(e.Waiting, "_", " "))
	}
	if e.Until != "" {
		parts = append(parts, "until "+localTime(e.Until))
	}
	if e.File != "" {
		parts = append(parts, "quarantined")
	}
	return strings.Join(parts, "  ")
}

// entries lists every task that is not finished, and of the finished ones the
// last. Of those only the result is read, never a journal.
func (l *looker) entries(all bool) (entries []entry, more int, err error) {
	for _, stage := range task.Stages {
		cards, err := l.queue.List(stage)
		if err != nil {
			return nil, 0, err
		}
		if stage != task.Inbox && stage != task.Processing && !all {
			var left int
			cards, left = l.latest(stage, cards)
			more += left
		}
		for _, c := range cards {
			entries = append(entries, l.entry(stage, c))
		}
	}
	return entries, more, nil
}

// latest keeps the cards whose files were moved last, by name.
func (l *looker) latest(stage task.Stage, cards []queue.Card) (kept []queue.Card, left int) {
	if len(cards) <= recent {
		return cards, 0
	}
	moved := map[string]int64{}
	for _, c := range cards {
		if info, err := os.Lstat(filepath.Join(l.tasks, string(stage), c.Name)); err == nil {
			moved[c.Name] = changed(info)
		}
	}
	kept = slices.Clone(cards)
	slices.SortStableFunc(kept, func(x, y queue.Card) int { return int(min(1, max(-1, moved[y.Name]-moved[x.Name]))) })
	kept = kept[:recent]
	slices.SortFunc(kept, func(x, y queue.Card) int { return strings.Compare(x.Name, y.Name) })
	return kept, len(cards) - recent
}

func (l *looker) entry(stage task.Stage, c queue.Card) entry {
	e := entry{ID: c.ID(), Stage: stage}
	if c.Quarantined {
		e.File = c.Name
		return e
	}
	if l.reader == nil || stage == task.Inbox {
		return e
	}
	if stage != task.Processing {
		if r, err := l.reader.Result(e.ID); err == nil {
			e.Round, e.Tries, e.Reason = r.Round, r.Tries, r.Reason
		}
		return e
	}
	if s, err := l.reader.State(e.ID); err == nil {
		e.Phase, e.Round, e.Tries, e.Reason, e.Waiting = s.Phase, s.Round, s.Tries, s.Reason, s.WaitingFor
		if s.NotBefore != nil {
			e.Until = s.NotBefore.Format("2006-01-02T15:04:05Z07:00")
		}
	}
	return e
}
