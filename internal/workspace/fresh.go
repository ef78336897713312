package workspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// ignoredOf asks git which of paths its ignore rules match. The rules are
// those that stand in the tree now, as for git add.
func (t *tree) ignoredOf(ctx context.Context, paths []string) (map[string]bool, error) {
	ignored := map[string]bool{}
	if len(paths) == 0 {
		return ignored, nil
	}
	c := t.call("check-ignore", "-z", "--stdin", "--no-index")
	c.stdin = zlist(paths)
	out, err := t.git.run(ctx, c)
	if err != nil && exitCode(err) != 1 { // 1: none of them
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	for _, p := range strings.Split(string(out), "\x00") {
		ignored[p] = p != ""
	}
	delete(ignored, "")
	return ignored, nil
}
