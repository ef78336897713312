//go:build !linux && !darwin

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const nofollow = 0

// A reader lists directories below a root. Without change times and inodes an
// edit whose size and time were put back goes unseen by the stamps; the re-hash
// before the commit finds it.
type reader struct{ root string }

func openReader(root string) (*reader, error) {
	if info, err := os.Lstat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("open %q: %w", root, ErrGone)
	}
	return &reader{root}, nil
}

func (r *reader) close() {}

func (r *reader) list(dir string, skip func(name string) bool) ([]entry, error) {
	found, err := os.ReadDir(filepath.Join(r.root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, e := range found {
		if skip(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{Name: e.Name(), stamp: stampOf(info)})
	}
	return entries, nil
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{
		Mode: modeOf(info.Mode()), Links: 1, Size: info.Size(), Mtime: info.ModTime().UnixNano(),
	}
}

// modeOf gives st_mode's bits for systems whose stat this package does not read.
func modeOf(m fs.FileMode) uint32 {
	kind := map[fs.FileMode]uint32{
		0: kindFile, fs.ModeDir: kindDir, fs.ModeSymlink: kindLink, fs.ModeNamedPipe: kindFIFO,
		fs.ModeSocket: kindSocket, fs.ModeDevice: kindBlock, fs.ModeDevice | fs.ModeCharDevice: kindChar,
	}[m.Type()]
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= 0o4000
	}
	if m&fs.ModeSetgid != 0 {
		bits |= 0o2000
	}
	return kind | bits
}

// ownOnly cannot be told from the permission bits here.
func ownOnly(string) bool { return true }
