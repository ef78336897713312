package fsx

import (
	"errors"
	"fmt"
	"io/fs"
)

// Move gives the regular file name the name as in to, and takes the old name
// away; both directories are durable when it returns. A name that exists in to
// is never replaced: the error is fs.ErrExist and nothing changed.
//
// The new name is durable before the old one goes, so a crash leaves the file
// under the old name, under both, or under the new one, never under none. Only
// where links are refused does it rename, and Degraded says so from then on.
// An error means that the move did not happen, unless it is ErrSync, or the
// old name could neither be removed nor the new one taken back.
func (d *Dir) Move(name string, to *Dir, as string) error {
	err := d.move(name, to, as)
	if err != nil && !errors.Is(err, ErrSync) {
		return fmt.Errorf("move %q to %q: %w", d.join(name), to.join(as), err)
	}
	return err
}

func (d *Dir) move(name string, to *Dir, as string) error {
	if err := errors.Join(d.single(name), to.single(as)); err != nil {
		return err
	}
	// A link of a link, or a rename of a directory, would move what is no file.
	if err := d.isRegular(name); err != nil {
		return err
	}
	err := d.link(name, to, as)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fs.ErrExist
	case isLinkRefused(err):
		return d.moveByRename(name, to, as)
	case err != nil:
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	if err := d.unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.takeBack(to, as, err)
	}
	return d.Sync()
}

// takeBack removes the new name of a file whose old name cannot be removed.
func (d *Dir) takeBack(to *Dir, as string, why error) error {
	if err := to.unlink(as); err != nil {
		return errors.Join(why, err)
	}
	return errors.Join(why, to.Sync())
}

func (d *Dir) moveByRename(name string, to *Dir, as string) error {
	err := d.do(Op{Kind: OpRename, Path: d.join(name), To: to.join(as)}, func() error {
		return renameNoReplace(d, name, to, as)
	})
	if lacksNoReplace(err) {
		err = d.lookAndRename(name, to, as)
	}
	if errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	if err != nil {
		return err
	}
	d.degraded.Store(true)
	to.degraded.Store(true)
	if err := to.Sync(); err != nil {
		return err
	}
	return d.Sync()
}

// lookAndRename is for file systems with neither links nor a no-replace rename.
// Between the look and the rename only a writer without the instance lock could
// lose a file.
func (d *Dir) lookAndRename(name string, to *Dir, as string) error {
	if _, err := to.root.Lstat(as); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.do(Op{Kind: OpRename, Path: d.join(name), To: to.join(as)}, func() error {
		return rename(d, name, to, as)
	})
}

// Remove takes the name of a file or of an empty directory away. It is not
// durable before the next Sync: after a power cut the name may be back.
func (d *Dir) Remove(name string) error {
	if err := d.single(name); err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return named("remove", d, name, d.unlink(name))
}
