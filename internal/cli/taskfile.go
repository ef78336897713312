package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/task"
	"looprun.dev/looprun/internal/verify"
)

// A taskFile is a task file as somebody offers it.
type taskFile struct {
	name string // for messages
	stem string // what the id must be equal to
	data []byte
}

// maxTask is one byte more than a task may have, so that the reader sees it.
const maxTask = task.MaxBytes + 1

// readTask reads a file, or for - standard input, where the id itself is the
// stem.
func (a *app) readTask(name string) (taskFile, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(a.stdin, maxTask))
		return taskFile{"standard input", idIn(data), data}, err
	}
	f, err := openRegular(a.path(name))
	if err != nil {
		return taskFile{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTask))
	return taskFile{name, strings.TrimSuffix(filepath.Base(name), ".json"), data}, err
}

// openRegular refuses what reading could hang on.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file: use - to read standard input", path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// idIn is the id that a task gives itself, as far as it can be read.
func idIn(data []byte) string {
	var head struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(data, &head) != nil || head.ID == "" {
		return "task"
	}
	return head.ID
}

// check reads a task as a run would, and prints what speaks against it and what
// is only worth knowing. It reports false for what is no task.
func (a *app) check(cfg config.Config, f taskFile) (task.Task, bool) {
	t, faults := task.Parse(f.data, f.stem)
	if len(faults) == 0 {
		faults = task.Locate(f.data, t.Against(cfg.Known()))
	}
	faults, warnings := task.Split(faults)
	if len(faults) == 0 {
		policy := cfg.Policy(t)
		own := verify.SatisfiableWarnings(t, policy.Boundary, verify.NewBuiltin(config.FileName, policy.Profiles, nil))
		warnings = append(warnings, asWarnings(task.Locate(f.data, own))...)
	}
	all := append(faults, warnings...)
	for i := range all {
		all[i].File = f.name
	}
	a.faults(all)
	return t, len(faults) == 0
}

func asWarnings(all []task.Fault) []task.Fault {
	for i := range all {
		all[i].Warning = true
	}
	return all
}

// path is a path from the command line, seen from the directory of -C.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}
