package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Refusal is something in the tree that can be no part of a candidate. Its
// code is one of nested_repository, fifo, socket, device, setuid, hard_link,
// link_outside, special_link, bad_name, case_collision, too_large, too_many,
// submodule_changed.
type Refusal struct{ Code, Path string }

// isDotGit tells whether some file system takes name for ".git".
func isDotGit(name string) bool {
	for _, part := range strings.Split(name, `\`) {
		if part, _, _ = strings.Cut(part, ":"); dotGit(part) {
			return true
		}
	}
	return false
}

func dotGit(name string) bool {
	name = strings.TrimRight(strings.Map(visible, name), ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// visible drops the code points that HFS+ ignores in names.
func visible(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

// badName tells whether a name cannot stand in a record, or would not come
// through a checkout.
func badName(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)
}

// steersGit tells whether git itself reads a file of that name in the tree.
func steersGit(name string) bool {
	switch strings.ToLower(name) {
	case ".gitignore", ".gitattributes", ".gitmodules":
		return true
	}
	return false
}

// maxSteering bounds the files that steer git: it reads them whole.
const maxSteering = 1 << 20

// refuse names what keeps f out of a candidate, "" if nothing does.
func (t *tree) refuse(f found, maxFile int64) string {
	_, name := split(f.path)
	switch f.kind() {
	case kindFIFO:
		return "fifo"
	case kindSocket:
		return "socket"
	case kindChar, kindBlock:
		return "device"
	}
	switch {
	case isDotGit(name):
		return "nested_repository"
	case badName(name), len(f.path) > 3000:
		return "bad_name"
	case steersGit(name) && f.kind() != kindFile:
		return "special_link"
	case steersGit(name) && f.Size > maxSteering, f.kind() == kindFile && f.Size > maxFile:
		return "too_large"
	case f.kind() == kindFile && f.Mode&0o6000 != 0:
		return "setuid"
	case f.kind() == kindFile && f.Links > 1:
		return "hard_link"
	case f.kind() == kindLink && t.leaves(f.path):
		return "link_outside"
	}
	return ""
}

// leaves tells whether a link points out of the tree. An absolute target does,
// wherever it leads: in another checkout it would lead elsewhere.
func (t *tree) leaves(path string) bool {
	to, err := os.Readlink(filepath.Join(t.dir, filepath.FromSlash(path)))
	if err != nil || filepath.IsAbs(to) || strings.HasPrefix(to, `\`) {
		return true
	}
	dir, _ := split(path)
	rel := filepath.Join(filepath.FromSlash(dir), to)
	return !filepath.IsLocal(rel) && rel != "."
}
