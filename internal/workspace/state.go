package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// The phases of a slot's work tree. What a phase promises holds from the
// moment it is written: changing is written before a change, ready after it.
const (
	phaseNone     = ""         // nothing is known of the tree
	phaseChanging = "changing" // being made, reset or removed
	phaseReady    = "ready"    // made from Base for Task; the generator may have worked in it
)

// A state is ws.json: what the slot's work tree is. It is not fsynced: after a
// power cut the boot id differs, and then nothing that it says is believed.
type state struct {
	Phase    string   `json:"phase"`
	Task     string   `json:"task"`
	Base     string   `json:"base"`
	Tree     string   `json:"tree,omitempty"` // of Base
	Boot     string   `json:"boot"`
	Checking bool     `json:"checking,omitempty"` // the check tree is being changed
	Drop     []string `json:"drop,omitempty"`     // tasks whose keep-refs go with the next change of refs
}

func readState(d *fsx.Dir) state {
	var s state
	b, err := d.Read("ws.json", 1<<20)
	if err != nil || json.Unmarshal(b, &s) != nil || s.Boot != bootID() {
		return state{}
	}
	return s
}

func (s *Space) setState(next state) error {
	next.Boot = bootID()
	b, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("write ws.json: %w", err)
	}
	d, err := fsx.Open(s.slot, s.seams()...)
	if err != nil {
		return fmt.Errorf("write ws.json: %w", err)
	}
	defer d.Close()
	if err := d.View("ws.json", b); err != nil {
		return err
	}
	s.state = next
	return nil
}

// Prepared tells which task and base the work tree was made for, if it is
// whole. The generator may have worked in it since.
func (s *Space) Prepared() (task, base string, ok bool) {
	return s.state.Task, s.state.Base, s.state.Phase == phaseReady && isDir(s.work.dir)
}

// scratch is the path of a temporary index. It is another one in every process:
// a git that outlived its looprun must not write into ours.
func (s *Space) scratch(name string) string {
	return filepath.Join(s.slot, "tmp-"+s.token+"-"+name)
}

// endLeftovers ends the git processes and setup commands of a looprun that died
// while it changed a tree: they would go on changing it.
func (s *Space) endLeftovers(ctx context.Context) error {
	locks, err := filepath.Glob(filepath.Join(s.slot, "*.lock"))
	if err != nil {
		return err
	}
	if s.state.Phase != phaseChanging && !s.state.Checking && len(locks) == 0 {
		return nil
	}
	_, err = child.EndOrphans(ctx, nil, []string{s.git.mark})
	return err
}

// clearTemps takes away locks and temporary files that a dead process left.
// It is safe because the caller holds the lock of .loop.
func clearTemps(slot string) error {
	entries, err := os.ReadDir(slot)
	if err != nil {
		return fmt.Errorf("read %q: %w", slot, err)
	}
	for _, e := range entries {
		n := e.Name()
		if strings.HasSuffix(n, ".lock") || strings.HasPrefix(n, "tmp-") || fsx.IsTemp(n) {
			if err := fsx.Scratch(slot).Remove(n); err != nil {
				return fmt.Errorf("clear %q: %w", filepath.Join(slot, n), err)
			}
		}
	}
	return nil
}
