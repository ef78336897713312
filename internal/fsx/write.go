package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Create makes the file name with data in it, durably. A name that exists is
// left alone: the error is fs.ErrExist. Nobody ever sees a part of data under
// the name.
func (d *Dir) Create(name string, data []byte) error {
	err := d.publish(name, data, true, d.renameNew)
	if err == nil {
		err = d.Sync()
	}
	return named("create", d, name, err)
}

// Replace gives the file name new contents, durably. At any instant, and after
// a power cut, the name has the old contents or the new ones.
func (d *Dir) Replace(name string, data []byte) error {
	err := d.publish(name, data, true, d.renameOver)
	if err == nil {
		err = d.Sync()
	}
	return named("replace", d, name, err)
}

// View gives the file name new contents without any fsync: whoever reads sees
// the old contents or the new ones, but a power cut may leave either, or a
// damaged file. For what can be rendered again.
func (d *Dir) View(name string, data []byte) error {
	return named("write view", d, name, d.publish(name, data, false, d.renameOver))
}

// publish writes data to a temporary file and lets rename give it its name.
func (d *Dir) publish(name string, data []byte, durable bool, rename func(temp, name string) error) error {
	if err := d.single(name); err != nil {
		return err
	}
	temp, err := d.writeTemp(data, durable)
	if err == nil {
		err = rename(temp, name)
	}
	if err != nil && temp != "" {
		// A leftover costs nothing but space and is swept at the next start.
		_ = d.unlink(temp)
	}
	return err
}

// writeTemp makes a temporary file of data. The name is "" if none was made.
func (d *Dir) writeTemp(data []byte, durable bool) (name string, err error) {
	name, f, err := d.createTemp()
	if err != nil {
		return "", err
	}
	if err = d.write(f, data); err == nil && durable {
		err = d.syncFile(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return name, err
}

func (d *Dir) renameOver(temp, name string) error {
	return d.do(Op{Kind: OpRename, Path: d.join(temp), To: d.join(name)}, func() error {
		return patiently(func() error { return d.root.Rename(temp, name) })
	})
}

// renameNew never replaces. Where the system has no such rename, a link does
// it, and the file has two names until the temporary one is gone.
func (d *Dir) renameNew(temp, name string) error {
	err := d.do(Op{Kind: OpRename, Path: d.join(temp), To: d.join(name)}, func() error {
		return renameNoReplace(d, temp, d, name)
	})
	if !lacksNoReplace(err) {
		return err
	}
	err = d.link(temp, d, name)
	if isLinkRefused(err) {
		d.degraded.Store(true)
		return d.lookAndRename(temp, d, name)
	}
	if err != nil {
		return err
	}
	// The contents are published; a leftover second name is swept later.
	_ = d.unlink(temp)
	return nil
}

func (d *Dir) link(name string, to *Dir, as string) error {
	return d.do(Op{Kind: OpLink, Path: d.join(name), To: to.join(as)}, func() error { return link(d, name, to, as) })
}

func (d *Dir) unlink(name string) error {
	return d.do(Op{Kind: OpUnlink, Path: d.join(name)}, func() error { return d.root.Remove(name) })
}

// create makes an empty file that must not exist.
func (d *Dir) create(name string, flag int) (f *os.File, err error) {
	err = d.do(Op{Kind: OpCreate, Path: d.join(name)}, func() error {
		f, err = openAt(d, name, os.O_CREATE|os.O_EXCL|flag, filePerm)
		return err
	})
	return f, err
}

// named says which file an operation failed on, unless it is the fsync error
// that says so already.
func named(verb string, d *Dir, name string, err error) error {
	if err == nil || errors.Is(err, ErrSync) {
		return err
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %q: %w", verb, d.join(name), fs.ErrExist)
	}
	return fmt.Errorf("%s %q: %w", verb, d.join(name), err)
}
