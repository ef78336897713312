package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
)

// hidden lays the files of a hidden check over the tree, runs it, and takes
// them away again. Of what it saw only pass or fail is kept: whatever else
// stood in the record could reach the next prompt.
func (s *session) hidden(ctx context.Context, st step) (result, error) {
	apart := *s
	apart.Base = nil
	apart.LogDir = filepath.Join(s.LogDir, "hidden")
	if err := fsx.Scratch(apart.LogDir).MkdirAll(""); err != nil {
		return result{}, err
	}
	res, err := apart.overlaid(ctx, st)
	if err != nil {
		return result{}, err
	}
	kept := round.File{Missing: "hidden"}
	told := round.CheckResult{
		Profile: res.Profile, Hidden: true, Passed: res.Passed, Infra: res.Infra, Flaky: res.Flaky,
		DurationMS: res.DurationMS, Stdout: kept, Stderr: kept,
		Check: signature.Check{Argv: res.Argv, PathTaken: "hidden"},
	}
	if !res.Passed {
		told.ExitCode = 1
	}
	return result{CheckResult: told, step: st}, nil
}

func (s *session) overlaid(ctx context.Context, st step) (result, error) {
	folder := st.Hidden
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(s.Home, folder)
	}
	over := overlay{tree: fsx.Scratch(s.Dir), backup: s.scratch}
	if err := over.lay(folder); err != nil {
		f := signature.Failure{Class: HiddenMissing, Detail: err.Error()}
		if errors.Is(err, errInTheWay) {
			f.Class = NoDirectory
		}
		return s.failed(st, f), over.undo()
	}
	res, err := s.check(ctx, st)
	return res, errors.Join(err, over.undo())
}

// An overlay is a set of files laid over a tree for a time.
type overlay struct {
	tree, backup fsx.Scratch
	undos        []func() error // in the order of what they undo
}

// lay copies every regular file of a folder to its place in the tree. It goes
// through no link that stands there.
func (o *overlay) lay(folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		switch {
		case err != nil:
			return err
		case rel == ".":
			return nil
		case e.IsDir():
			return o.layFolder(rel)
		case e.Type().IsRegular():
			return o.layFile(path, rel)
		}
		return fmt.Errorf("%q is not a regular file", rel)
	})
}

func (o *overlay) layFolder(rel string) error {
	info, err := os.Lstat(o.tree.Path(rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.undos = append(o.undos, func() error { return o.tree.RemoveAll(rel) })
		return o.tree.MkdirAll(rel)
	case err == nil && !info.IsDir():
		return inTheWay(rel)
	}
	return err
}

// layFile puts a file in its place. What stood there comes back with undo.
func (o *overlay) layFile(from, rel string) error {
	info, err := os.Lstat(o.tree.Path(rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		err = o.saveLink(rel)
	case info.Mode().IsRegular():
		err = o.saveFile(rel)
	default:
		err = inTheWay(rel)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o.undos = append(o.undos, func() error { return o.tree.RemoveAll(rel) })
	return o.tree.CopyFile(from, rel)
}

func (o *overlay) saveLink(rel string) error {
	target, err := os.Readlink(o.tree.Path(rel))
	if err != nil {
		return err
	}
	o.undos = append(o.undos, func() error { return o.tree.Symlink(target, rel) })
	return o.tree.Remove(rel)
}

func (o *overlay) saveFile(rel string) error {
	copied := o.backup.Path(fmt.Sprintf("aside-%d", len(o.undos)))
	if err := fsx.Scratch("").CopyFile(o.tree.Path(rel), copied); err != nil {
		return err
	}
	o.undos = append(o.undos, func() error { return o.tree.CopyFile(copied, rel) })
	return o.tree.Remove(rel)
}

// errInTheWay tells what the candidate put where a hidden file belongs. That is
// the candidate's doing, not the environment's.
var errInTheWay = errors.New("is in the way")

func inTheWay(rel string) error { return fmt.Errorf("%q %w", rel, errInTheWay) }

// undo makes the tree what it was before lay.
func (o *overlay) undo() error {
	var errs []error
	for i := range o.undos {
		errs = append(errs, o.undos[len(o.undos)-1-i]())
	}
	return errors.Join(errs...)
}
