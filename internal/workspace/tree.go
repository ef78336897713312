package workspace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
)

// A tree is a directory with a checkout in it, the private index that git
// keeps of it, and the stamps of all that stood in it when it was last right.
// Index and stamps lie beside the directory, not in it.
type tree struct {
	git     *door
	ctl     *control
	dir     string
	index   string
	notes   string
	outside []string // folders that are never looked at
	known   listing  // nil until loaded
	facts   facts
}

// facts head the stamps file.
type facts struct {
	Of      string   `json:"of"`                // the tree or commit that was checked out
	Index   stamp    `json:"index"`             // of the index file that goes with it
	Ignored []string `json:"ignored,omitempty"` // what git ignored when the stamps were taken
	Boot    string   `json:"boot"`
	Setup   string   `json:"setup,omitempty"` // what setup and share were made from
	Leaks   []Leak   `json:"leaks,omitempty"` // shared files that name the checkout
	Env     string   `json:"env,omitempty"`   // in place: the user's index and ignore files
}

// load reads the stamps once. Those from before the machine started again are
// not believed: a power cut may have lost what was written since.
func (t *tree) load() {
	if t.known != nil {
		return
	}
	dir, name := filepath.Split(t.notes)
	head, known := readStamps(dir, name)
	t.known, t.facts = known, facts{}
	if err := json.Unmarshal([]byte(head), &t.facts); err != nil || t.facts.Boot != bootID() {
		t.known, t.facts = listing{}, facts{}
	}
}

// forget makes everything in the tree unknown.
func (t *tree) forget() { t.known, t.facts = listing{}, facts{} }

// save writes the stamps down.
func (t *tree) save() error {
	t.facts.Boot = bootID()
	t.facts.Index, _ = lstat(t.index) // none: then nothing goes with it
	head, err := json.Marshal(t.facts)
	if err != nil {
		return fmt.Errorf("write stamps: %w", err)
	}
	dir, name := filepath.Split(t.notes)
	d, err := fsx.Open(dir, t.ctl.seams...)
	if err != nil {
		return fmt.Errorf("write stamps: %w", err)
	}
	defer d.Close()
	return d.View(name, t.known.marshal(string(head)))
}

// indexed tells whether the index is the one that the stamps go with.
func (t *tree) indexed() bool {
	st, err := lstat(t.index)
	return err == nil && st == t.facts.Index
}

// remove takes the tree away with everything that is known of it.
func (t *tree) remove() error {
	t.forget()
	for _, path := range []string{t.notes, t.index, t.index + ".lock", t.dir} {
		if err := fsx.Scratch(path).RemoveAll(""); err != nil {
			return fmt.Errorf("remove %q: %w", path, err)
		}
	}
	return nil
}

// made tells whether setup or share put path there.
func (t *tree) made(path string) bool {
	e, _ := t.known.entry(path)
	return e.Made
}

// call runs git with the control directory's config on this tree and index.
func (t *tree) call(args ...string) call {
	return call{gitDir: t.ctl.dir, workTree: t.dir, index: t.index, args: args}
}

// read gives the bytes of a small regular file of the tree, following no link
// out of it.
func (t *tree) read(path string, max int64) ([]byte, error) {
	d, err := fsx.Open(t.dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Read(path, max)
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
