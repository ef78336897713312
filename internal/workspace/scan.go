package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
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

// maxPeek bounds how far into a new directory the scan looks before it knows
// whether git ignores it: one question then settles both.
const maxPeek = 500

// news sorts what is new: entries beside known files and, of new directories
// that are not ignored, everything below.
func (p *scan) news(fresh []found) error {
	fresh = p.early(fresh)
	near := p.peek(fresh)
	ignored, err := p.ask(slices.Concat(append(slices.Collect(maps.Values(near)), fresh)...))
	if err != nil {
		return err
	}
	var far []found
	for _, f := range fresh {
		if ignored[f.path] {
			p.ignore(f)
			continue
		}
		p.collide(f)
		p.take(f)
		if f.kind() != kindDir {
			continue
		}
		if below, ok := near[f.path]; ok {
			p.inner(below, ignored)
			continue
		}
		more, err := expand(p.tree.dir, f.path, maxNew)
		if err != nil {
			return fmt.Errorf("look through %q: %w", f.path, err)
		}
		if far = append(far, more...); len(far) > maxNew {
			p.deny("too_many", f.path)
			return nil
		}
	}
	return p.distant(far)
}

// peek lists what lies in new directories that are small, and in which nothing
// lies that git must not come across.
func (p *scan) peek(fresh []found) map[string][]found {
	near := map[string][]found{}
	for _, f := range fresh {
		if f.kind() != kindDir {
			continue
		}
		below, err := expand(p.tree.dir, f.path, maxPeek)
		if err == nil && len(below) <= maxPeek && !slices.ContainsFunc(below, misleading) {
			near[f.path] = below
		}
	}
	return near
}

// distant sorts what lies in large new directories.
func (p *scan) distant(far []found) error {
	far = p.early(far)
	ignored, err := p.ask(far)
	if err == nil {
		p.inner(far, ignored)
	}
	return err
}

// inner sorts what lies in new directories that are not ignored themselves.
func (p *scan) inner(below []found, ignored map[string]bool) {
	for _, f := range below {
		dir, name := split(f.path)
		switch {
		case ignored[dir]: // told with its directory, or with one above
			ignored[f.path] = true
		case isDotGit(name):
			p.deny("nested_repository", f.path)
		case ignored[f.path]:
			p.ignore(f)
		default:
			p.collide(f)
			p.take(f)
		}
	}
}

// misleading tells whether git, asked about ignore rules, could be held up by
// a file: it reads some by their names.
func misleading(f found) bool {
	_, name := split(f.path)
	return steersGit(name) && (f.kind() != kindFile || f.Size > maxSteering)
}

// early refuses what must not be there when git is asked about ignore rules:
// it would read from a pipe of that name for ever. Names that look like .git
// are kept back from git as well.
func (p *scan) early(all []found) []found {
	var rest []found
	for _, f := range all {
		dir, name := split(f.path)
		_, known := p.tree.known[dir]
		switch {
		case p.module(dir), p.module(f.path):
			p.deny("submodule_changed", f.path)
		case misleading(f):
			p.deny(p.tree.refuse(f, p.max), f.path)
		case isDotGit(name) && (known || dir == ""):
			p.deny("nested_repository", f.path)
		default:
			rest = append(rest, f)
		}
	}
	return rest
}

// module tells whether path is a submodule of the base.
func (p *scan) module(path string) bool {
	s, ok := p.tree.known.find(path)
	return ok && s.kind() == kindModule
}

// ask tells which of the files git ignores.
func (p *scan) ask(all []found) (map[string]bool, error) {
	if len(p.refusals) > 0 && p.steered() {
		return map[string]bool{}, nil
	}
	var paths []string
	for _, f := range all {
		if _, name := split(f.path); !isDotGit(name) {
			paths = append(paths, f.path)
		}
	}
	return p.tree.ignoredOf(p.ctx, paths)
}

// steered tells whether a file that git itself would read was refused.
func (p *scan) steered() bool {
	return slices.ContainsFunc(p.refusals, func(r Refusal) bool {
		_, name := split(r.Path)
		return steersGit(name)
	})
}

func (p *scan) ignore(f found) {
	if f.kind() == kindDir {
		f.path += "/"
	}
	p.ignored = append(p.ignored, f.path)
}

// collide refuses a new name that differs from another beside it only by
// case: elsewhere the two are one file.
func (p *scan) collide(f found) {
	dir, name := split(f.path)
	fold := strings.ToLower(f.path)
	clash := p.folded[fold]
	p.folded[fold] = true
	for _, e := range p.tree.known[dir] {
		if e.Name != name && strings.EqualFold(e.Name, name) && p.stands(join(dir, e.Name)) != 0 {
			clash = true
		}
	}
	if clash {
		p.deny("case_collision", f.path)
	}
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
