package workspace

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// A scan goes through what was touched in a tree and sorts it into what can
// become part of a candidate, what git ignores, and what is refused.
type scan struct {
	tree     *tree
	max      int64
	ctx      context.Context
	paths    []string // regular files and links to read
	gone     []string
	hidden   []string // gone, and behind something that is no directory any more
	ignored  []string
	refusals []Refusal
	taken    []found         // the files of paths, as they were when they were looked at
	folded   map[string]bool // new names without their case
}

// look does the whole of it: first what was known, then what is new.
func (p *scan) look(diff difference) error {
	p.folded = map[string]bool{}
	for _, f := range diff.changed {
		p.take(f)
	}
	if err := p.news(diff.fresh); err != nil {
		return err
	}
	slices.SortFunc(p.taken, func(a, b found) int { return strings.Compare(a.path, b.path) })
	for _, f := range p.taken {
		p.paths = append(p.paths, f.path)
	}
	for _, path := range diff.gone {
		p.drop(path)
	}
	slices.Sort(p.ignored)
	slices.SortFunc(p.refusals, func(a, b Refusal) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// take accepts one file that is not ignored, or refuses it.
func (p *scan) take(f found) {
	if code := p.tree.refuse(f, p.max); code != "" {
		p.deny(code, f.path)
		return
	}
	if f.kind() == kindDir {
		return
	}
	if f.kind() == kindFile && f.Mode&0o400 == 0 {
		// An error shows when git cannot read the file.
		mode := fs.FileMode(f.Mode&0o777 | 0o600)
		_ = fsx.Scratch(p.tree.dir).Chmod(filepath.FromSlash(f.path), mode)
	}
	p.taken = append(p.taken, f)
}

func (p *scan) deny(code, path string) {
	p.refusals = append(p.refusals, Refusal{Code: code, Path: strings.ToValidUTF8(path, "\ufffd")})
}

// stands is the kind of what stands at path now, 0 if nothing does.
func (p *scan) stands(path string) uint32 {
	s, err := lstat(filepath.Join(p.tree.dir, filepath.FromSlash(path)))
	if err != nil {
		return 0
	}
	return s.kind()
}

// drop takes a known file out of the candidate. Git takes it out by itself when
// what stands in its way is added; else, when something does, it has to be told
// without looking at the disk.
func (p *scan) drop(path string) {
	way := path
	for dir, _ := split(path); dir != ""; dir, _ = split(dir) {
		if k := p.stands(dir); k != 0 && k != kindDir {
			way = dir
		}
	}
	switch {
	case way == path && p.stands(path) != kindDir:
		p.gone = append(p.gone, path)
	case way == path && !p.adds(path+"/", strings.HasPrefix), way != path && !p.adds(way, equal):
		p.hidden = append(p.hidden, path)
	}
}

// adds tells whether a path of the candidate is, or begins with, s.
func (p *scan) adds(s string, match func(path, s string) bool) bool {
	i, _ := slices.BinarySearch(p.paths, s)
	return i < len(p.paths) && match(p.paths[i], s)
}

func equal(a, b string) bool { return a == b }

// touched lists the paths of a refused tree.
func (p *scan) touched() []Change {
	var all []Change
	for _, path := range p.paths {
		c := Change{Path: path, Status: 'A'}
		if _, ok := p.tree.known.find(path); ok {
			c.Status = 'M'
		}
		all = append(all, c)
	}
	for _, path := range slices.Concat(p.gone, p.hidden) {
		all = append(all, Change{Path: path, Status: 'D'})
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return all
}
