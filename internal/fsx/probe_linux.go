package fsx

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

type kind struct {
	name    string
	network bool
}

// The magic numbers that statfs gives. Network includes all that another host
// may change or cache behind the kernel's back; FUSE may be anything.
var kinds = map[uint32]kind{
	0xef53:     {"ext4", false},
	0x58465342: {"xfs", false},
	0x9123683e: {"btrfs", false},
	0x01021994: {"tmpfs", false},
	0x794c7630: {"overlay", false},
	0x2fc12fc1: {"zfs", false},
	0xf2f52010: {"f2fs", false},
	0xca451a4e: {"bcachefs", false},
	0x5346544e: {"ntfs", false},
	0x4d44:     {"vfat", false},
	0x2011bab0: {"exfat", false},
	0x6969:     {"nfs", true},
	0x517b:     {"smb", true},
	0xfe534d42: {"smb2", true},
	0xff534d42: {"cifs", true},
	0x01021997: {"9p", true},
	0x65735546: {"fuse", true},
	0x5346414f: {"afs", true},
	0x6b414653: {"afs", true},
	0x73757245: {"coda", true},
	0x00c36400: {"ceph", true},
	0x0bd00bd0: {"lustre", true},
	0x01161970: {"gfs2", true},
	0x7461636f: {"ocfs2", true},
	0x786f4256: {"vboxsf", true},
	0x61636673: {"acfs", true},
	0x47504653: {"gpfs", true},
}

func fsType(f *os.File) (name string, network bool) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &s); err != nil {
		return "", false
	}
	k, ok := kinds[uint32(s.Type)]
	if !ok {
		return fmt.Sprintf("%#x", uint32(s.Type)), false
	}
	return k.name, k.network
}

// mountOf leaves the id at zero on kernels that give none.
func mountOf(d *Dir) (mount, error) {
	var s unix.Statx_t
	err := unix.Statx(d.fd(), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &s)
	if err == unix.ENOSYS || err == unix.EPERM {
		info, err := d.Stat()
		if err != nil {
			return mount{}, err
		}
		return mount{device: device(info)}, nil
	}
	m := mount{device: unix.Mkdev(s.Dev_major, s.Dev_minor)}
	if s.Mask&unix.STATX_MNT_ID != 0 {
		m.id = s.Mnt_id
	}
	return m, err
}

// Full tells whether nothing more can be written under path: there is next to
// no room for bytes, or for files. An error is no.
func Full(path string) bool {
	const bytes, files = 64 << 10, 8
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return false
	}
	return int64(s.Bavail)*s.Bsize < bytes || s.Files > 0 && s.Ffree < files
}

// Free is the number of bytes that may still be written under path.
func Free(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("ask for the free space of %q: %w", path, err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}
