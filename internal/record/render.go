package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// A view is a file that is rendered from a journal.
type view struct {
	dir  *fsx.Dir
	name string
	doc  any
	// kept is a record of something that is over: it is rendered once and never
	// replaced. The others show the present.
	kept bool
}

// Render writes the views that j's state calls for. Those of what is over are
// written only where they are missing.
func (s *Store) Render(j *Journal) error {
	return s.render(j, s.write)
}

// Repair compares the views of j with what they must hold. One that differs is
// set aside and rendered again; their names are returned.
func (s *Store) Repair(j *Journal) (repaired []string, err error) {
	err = s.render(j, func(v view, data []byte) error {
		there, err := v.dir.Read(v.name, maxJournal)
		switch {
		case err == nil && bytes.Equal(there, data):
			return nil
		case err == nil && v.kept:
			err = v.dir.Move(v.name, v.dir, aside(v.dir, v.name+".differs"))
		case errors.Is(err, fs.ErrNotExist), err == nil:
			err = nil
		}
		if err == nil {
			repaired = append(repaired, filepath.Join(v.dir.Path(), v.name))
			err = v.dir.View(v.name, data)
		}
		return err
	})
	return repaired, err
}

func (s *Store) write(v view, data []byte) error {
	if v.kept {
		if _, err := v.dir.Lstat(v.name); err == nil {
			return nil
		}
	}
	return v.dir.View(v.name, data)
}

func (s *Store) render(j *Journal, put func(view, []byte) error) error {
	attempts, err := within(j.dir, "attempts")
	if err != nil {
		return fmt.Errorf("render views of %s: %w", j.ID, err)
	}
	defer attempts.Close()
	for _, v := range s.views(j, attempts) {
		data, err := encodeView(v.doc)
		if err == nil {
			err = put(v, data)
		}
		if err != nil {
			return fmt.Errorf("render %s of %s: %w", v.name, j.ID, err)
		}
	}
	return nil
}

// views lists all files that the state of j calls for.
func (s *Store) views(j *Journal, attempts *fsx.Dir) []view {
	st := j.State()
	all := []view{{dir: j.dir, name: "task.json", doc: st.Task, kept: true}}
	for i, r := range st.Rounds {
		if r.Plan != nil {
			all = append(all, view{dir: j.dir, name: PlanFile(r.N), doc: r.Plan, kept: true})
		}
		if over := i < len(st.Rounds)-1 || st.Next == round.End; over && len(r.Tries) > 0 {
			all = append(all, view{dir: attempts, name: fmt.Sprintf("round-%03d.json", r.N), doc: NewAttemptView(st, r), kept: true})
		}
	}
	all = append(all, view{dir: j.dir, name: "state.json", doc: NewStateView(st, j.Head())})
	if st.Next == round.End {
		all = append(all, view{dir: s.results, name: j.ID + ".json", doc: NewResultView(st, j.Lines(), j.Head()), kept: true})
	}
	return all
}

// PlanFile is the name of the plan of a round in its task's directory.
func PlanFile(n int) string { return fmt.Sprintf("plan-round-%03d.json", n) }

// encodeView is the form of all views: indented, for people.
func encodeView(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	return b.Bytes(), err
}
