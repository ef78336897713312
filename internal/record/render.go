package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
)

// A view is a file that is rendered from a journal.
type view struct {
	dir  *fsx.Dir
	name string // below dir
	doc  func() any
	// kept is a record of something that is over: it is rendered once and never
	// replaced. The others show the present.
	kept bool
}

// Render writes the views that j's state calls for. Those of what is over are
// written only where they are missing.
func (s *Store) Render(j *Journal) error {
	return s.render(j, func(v view) bool { return !v.kept })
}

// Complete writes the views of j that are missing.
func (s *Store) Complete(j *Journal) error {
	return s.render(j, func(view) bool { return false })
}

func (s *Store) render(j *Journal, again func(view) bool) error {
	for _, v := range s.views(j) {
		if _, err := v.dir.Lstat(v.name); err == nil && !again(v) {
			continue
		}
		data, err := v.encode()
		if err == nil {
			err = s.put(j, v, data)
		}
		if err != nil {
			return fmt.Errorf("render %s of %s: %w", v.name, j.ID, err)
		}
	}
	return nil
}

// put writes a view. It is durable after Leave.
func (s *Store) put(j *Journal, v view, data []byte) error {
	if err := s.touch(j.ID); err != nil {
		return err
	}
	folder, base := path.Split(v.name)
	if folder == "" {
		return v.dir.View(base, data)
	}
	dir, err := within(v.dir, path.Clean(folder))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.View(base, data)
}

// views lists all files that the state of j calls for. A journal without a line
// is of no task yet.
func (s *Store) views(j *Journal) []view {
	if len(j.lines) == 0 {
		return nil
	}
	st := j.State()
	all := []view{{dir: j.dir, name: "task.json", kept: true, doc: func() any { return st.Task }}}
	for i, r := range st.Rounds {
		if r.Plan != nil {
			all = append(all, view{dir: j.dir, name: PlanFile(r.N), kept: true, doc: func() any { return r.Plan }})
		}
		if over := i < len(st.Rounds)-1 || st.Next == round.End; over && len(r.Tries) > 0 {
			all = append(all, view{dir: j.dir, name: AttemptFile(r.N), kept: true, doc: func() any { return NewAttemptView(st, r) }})
		}
	}
	all = append(all, view{dir: j.dir, name: stateFile, doc: func() any { return NewStateView(st, j.Head()) }})
	if st.Next == round.End {
		all = append(all, view{dir: s.results, name: j.ID + ".json", kept: true, doc: func() any { return NewResultView(st, j.Lines(), j.Head()) }})
	}
	return all
}

const stateFile = "state.json"

// PlanFile is the name of the plan of a round in its task's directory.
func PlanFile(n int) string { return fmt.Sprintf("plan-round-%03d.json", n) }

// AttemptFile is the name of the record of a round in its task's directory.
func AttemptFile(n int) string { return fmt.Sprintf("attempts/round-%03d.json", n) }

func (v view) encode() ([]byte, error) { return encodeView(v.doc()) }

// encodeView is the form of all views: indented, for people.
func encodeView(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	return b.Bytes(), err
}
