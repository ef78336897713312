package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// endOrphans ends what a dead looprun left running. Until it is gone nothing
// new is started: it could still write into the tree.
func (p *pass) endOrphans(ctx context.Context, ids []string) error {
	var procs []child.Proc
	var runs, notes []string
	for _, id := range ids {
		note := filepath.Join(p.store.TaskDir(id), runFile)
		data, err := os.ReadFile(note)
		if err != nil {
			continue // nothing ran
		}
		var r run
		if err := json.Unmarshal(data, &r); err != nil || r.RunID == "" {
			p.warn("%s can't be read: a process of %s may still run", note, id)
			continue
		}
		procs, runs, notes = append(procs, r.Proc), append(runs, r.RunID), append(notes, note)
	}
	if len(runs) == 0 {
		return nil
	}
	n, err := child.EndOrphans(ctx, procs, runs)
	if err != nil {
		return fmt.Errorf("end what the looprun before left running: %w", err)
	}
	if n > 0 {
		p.warn("%d processes of a looprun that had died were ended", n)
	}
	for _, note := range notes {
		if err := fsx.Scratch("").Remove(note); err != nil {
			return fmt.Errorf("end what the looprun before left running: %w", err)
		}
	}
	return nil
}
