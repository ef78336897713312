package fsx

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func fsType(f *os.File) (name string, network bool) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &s); err != nil {
		return "", false
	}
	return unix.ByteSliceToString(s.Fstypename[:]), s.Flags&unix.MNT_LOCAL == 0
}

func mountOf(d *Dir) (mount, error) {
	info, err := d.Stat()
	if err != nil {
		return mount{}, err
	}
	return mount{device: device(info)}, nil
}

// Free is the number of bytes that may still be written under path.
func Free(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("ask for the free space of %q: %w", path, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
