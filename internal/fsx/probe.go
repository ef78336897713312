package fsx

import (
	"errors"
	"fmt"
	"syscall"
)

// Facts is what file systems were found to be and to be able to do.
type Facts struct {
	FS        string // the first one's name, as ext4 or nfs; "" where the system does not tell
	Network   bool   // one of them is a network's: locks and fsync may mean less than they say
	OneDevice bool   // files move from the first directory to every other
	SyncDir   bool   // directories can be made durable
	Links     bool   // a move can keep the old name until the new one is durable
}

// Probe finds out by trying what the file systems under dirs can do. The
// directories must exist; nothing is left behind in them.
func Probe(dirs ...string) (Facts, error) {
	facts := Facts{OneDevice: true, SyncDir: true, Links: true}
	var first *Dir
	for _, path := range dirs {
		d, err := Open(path)
		if err != nil {
			return Facts{}, err
		}
		defer d.Close()
		if first == nil {
			first = d
		}
		if err := facts.add(first, d); err != nil {
			return Facts{}, fmt.Errorf("probe %q: %w", path, err)
		}
	}
	return facts, nil
}

func (f *Facts) add(first, d *Dir) error {
	name, network := fsType(d.self)
	if f.FS == "" || network && !f.Network {
		f.FS = name
	}
	f.Network = f.Network || network
	if err := f.tryLink(first, d); err != nil {
		return err
	}
	err := syncDir(d.self)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		f.SyncDir, err = false, nil
	}
	return err
}

// tryLink links a file of first into d. Equal device numbers would not tell: a
// bind mount of the same file system refuses links and renames as well.
func (f *Facts) tryLink(first, d *Dir) error {
	temp, err := first.writeTemp(nil, false)
	if err != nil {
		return err
	}
	other := tempName()
	err = link(first, temp, d, other)
	switch {
	case err == nil:
		err = d.unlink(other)
	case isCrossDevice(err):
		f.OneDevice, err = false, nil
	case isLinkRefused(err):
		f.Links, err = false, nil
	}
	return errors.Join(err, first.unlink(temp))
}

// SameDevice tells without writing whether files can move between a and b. It
// knows bind mounts apart where the system numbers mounts.
func SameDevice(a, b *Dir) (bool, error) {
	m, err := mountOf(a)
	if err != nil {
		return false, fmt.Errorf("find the device of %q: %w", a.path, err)
	}
	n, err := mountOf(b)
	if err != nil {
		return false, fmt.Errorf("find the device of %q: %w", b.path, err)
	}
	return m == n, nil
}

// A mount is where a file system hangs; files move only within one.
type mount struct{ device, id uint64 }
