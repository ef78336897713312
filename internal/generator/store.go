package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"looprun.dev/looprun/internal/fsx"
)

// A Store is the folder in which a program keeps its settings and sessions.
// Each task has one of its own, so that its sessions can be resumed, nothing of
// them is left in the user's, and a stray setting there changes nothing here.
// What the program needs of the user's own folder is taken from there before
// each start; a file that is not named is not.
type Store struct {
	// Var is the variable that points the program to its folder, Sub what it adds
	// to that by itself. Without Var the program works in the user's own folder.
	Var, Sub string
	// User is the user's own folder below the home directory, where Var is not
	// set. "": nothing is taken from there.
	User string
	// Link are logins. They stay one file with the user's, so that a token that the
	// program renews is not lost to either.
	Link []string
	// Copy are settings, taken over as they are.
	Copy []string
	// Merge are JSON files of settings: the user's own with these members put
	// over them.
	Merge map[string]string
	// Fresh are the program's own logs that must not outlast a start.
	Fresh []string
}

// storeMark in a value of Adapter.Env stands for the store.
const storeMark = "{store}"

// maxSettings is the size over which a file of the user's is not taken over.
const maxSettings = 4 << 20

// store is the folder of the adapter in the task's, "" where there is none.
func (s Start) store() string {
	if s.Store == "" || s.Adapter.Store.Var == "" {
		return ""
	}
	return filepath.Join(s.Store, s.Adapter.Name)
}

// userFolder is the user's own folder of the program, by the variables that a
// try would get; "" where there is none.
func (st Store) userFolder(env map[string]string) string {
	if dir := env[st.Var]; st.Var != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, st.Sub)
	}
	if home := homeOf(env); home != "" && st.User != "" {
		return filepath.Join(home, filepath.FromSlash(st.User))
	}
	return ""
}

func homeOf(env map[string]string) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := env[name]; filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// fillStore makes the store ready for a start. The program could write in it
// before, so no link that it left is followed.
func (s Start) fillStore() error {
	path := s.store()
	if path == "" {
		return nil
	}
	dir, err := s.openStore()
	if err == nil {
		err = s.Adapter.Store.fill(dir, s.Adapter.Store.userFolder(s.Env.values()))
		err = errors.Join(err, dir.Close())
	}
	if err != nil {
		return fmt.Errorf("prepare the folder of %s: %w", s.Adapter.Name, err)
	}
	return nil
}

// openStore makes and opens the store. Only what lies above Start.Store is out
// of the program's reach.
func (s Start) openStore() (*fsx.Dir, error) {
	above, err := fsx.MkdirAll(filepath.Dir(s.Store))
	if err != nil {
		return nil, err
	}
	defer above.Close()
	all, err := realFolder(above, filepath.Base(s.Store))
	if err != nil {
		return nil, err
	}
	defer all.Close()
	return realFolder(all, s.Adapter.Name)
}

func (st Store) fill(root *fsx.Dir, user string) error {
	for _, name := range st.Fresh {
		if err := fsx.Scratch(root.Path()).RemoveAll(name); err != nil {
			return err
		}
	}
	if st.Sub == "" {
		return st.takeOver(root, user)
	}
	dir, err := realFolder(root, st.Sub)
	if err != nil {
		return err
	}
	defer dir.Close()
	return st.takeOver(dir, user)
}

// realFolder opens a folder of dir. What else stands in its place is removed.
func realFolder(dir *fsx.Dir, name string) (*fsx.Dir, error) {
	if info, err := dir.Lstat(name); err == nil && !info.IsDir() {
		if err := dir.Remove(name); err != nil {
			return nil, err
		}
	}
	if err := dir.Mkdir(name); err != nil {
		return nil, err
	}
	return dir.Sub(name)
}

// takeOver brings logins and settings of the user's own folder into dir.
func (st Store) takeOver(dir *fsx.Dir, user string) error {
	for _, name := range st.Link {
		if err := link(dir, user, name); err != nil {
			return err
		}
	}
	for _, name := range st.Copy {
		data, err := ofUser(user, name)
		if err == nil {
			err = clear(dir, name)
		}
		if err == nil && data != nil {
			err = dir.View(name, data)
		}
		if err != nil {
			return err
		}
	}
	for name, members := range st.Merge {
		data, err := ofUser(user, name)
		if err != nil {
			return err
		}
		if err := put(dir, name, mergeSettings(data, members)); err != nil {
			return err
		}
	}
	return nil
}

// link makes name in dir the user's own file, or a copy of it where the system
// lets nobody link.
func link(dir *fsx.Dir, user, name string) error {
	data, err := ofUser(user, name)
	if data == nil || err != nil {
		return err
	}
	if err := clear(dir, name); err != nil {
		return err
	}
	if fsx.Scratch(dir.Path()).Symlink(filepath.Join(user, name), name) == nil {
		return nil
	}
	return put(dir, name, data)
}

// put writes a file into dir, in place of whatever stands there.
func put(dir *fsx.Dir, name string, data []byte) error {
	if err := clear(dir, name); err != nil {
		return err
	}
	return dir.View(name, data)
}

// clear removes what stands where a file is to be.
func clear(dir *fsx.Dir, name string) error {
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fsx.Scratch(dir.Path()).RemoveAll(name)
	}
	return dir.Remove(name)
}

// ofUser reads a file of the user's own folder, which may be a link there. nil:
// there is none that could be taken over.
func ofUser(user, name string) ([]byte, error) {
	if user == "" {
		return nil, nil
	}
	path := filepath.Join(user, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the program could not read it either
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// Shared lists the files outside of the task's own folder that a program with
// these variables reads and writes: its logins, as far as they are there.
func (a Adapter) Shared(env map[string]string) []string {
	var paths []string
	user := a.Store.userFolder(env)
	for _, name := range a.Store.Link {
		if path := filepath.Join(user, name); user != "" {
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}
