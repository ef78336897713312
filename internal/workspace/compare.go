package workspace

import (
	"cmp"
	"slices"
	"strings"
)

// A found is a file that stands in a tree.
type found struct {
	path string
	stamp
}

// A difference is how a tree differs from what is known of it.
type difference struct {
	changed []found  // known, with another stamp
	fresh   []found  // not known; a directory stands for all below it
	gone    []string // known files that are no more
}

func (d difference) empty() bool { return len(d.changed)+len(d.fresh)+len(d.gone) == 0 }

// skips are names that are not looked at, by their directory.
type skips map[string]map[string]bool

func (s skips) add(path string) {
	dir, name := split(strings.Trim(path, "/"))
	if s[dir] == nil {
		s[dir] = map[string]bool{}
	}
	s[dir][name] = true
}

// compare looks at every file of known and at everything that stands beside
// one. The .git at the root is never looked at.
func compare(root string, known listing, skip skips) (difference, error) {
	r, err := openReader(root)
	if err != nil {
		return difference{}, err
	}
	defer r.close()
	c := &comparison{known: known, skip: skip}
	c.todo = []string{""}
	for len(c.todo) > 0 {
		dir := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		entries, err := r.list(dir, c.skipped(dir))
		if err != nil {
			return difference{}, err
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
		c.merge(dir, entries)
	}
	return c.difference, nil
}

type comparison struct {
	difference
	known listing
	skip  skips
	todo  []string // directories that are to be looked at
}

func (c *comparison) skipped(dir string) func(string) bool {
	names := c.skip[dir]
	return func(name string) bool { return names[name] || dir == "" && name == ".git" }
}

// merge walks two sorted lists side by side.
func (c *comparison) merge(dir string, have []entry) {
	known, skipped := c.known[dir], c.skipped(dir)
	for len(have) > 0 || len(known) > 0 {
		switch {
		case len(known) == 0 || len(have) > 0 && have[0].Name < known[0].Name:
			c.fresh = append(c.fresh, found{join(dir, have[0].Name), have[0].stamp})
			have = have[1:]
		case len(have) == 0 || known[0].Name < have[0].Name:
			if !skipped(known[0].Name) {
				c.lose(join(dir, known[0].Name), known[0].stamp)
			}
			known = known[1:]
		default:
			c.meet(join(dir, have[0].Name), known[0].stamp, have[0].stamp)
			have, known = have[1:], known[1:]
		}
	}
}

// meet compares a file with what is known of it.
func (c *comparison) meet(path string, known, have stamp) {
	container := known.kind() == kindDir || known.kind() == kindModule
	switch {
	case container && have.kind() == kindDir:
		c.todo = append(c.todo, path)
	case known.same(have):
	case container || have.kind() == kindDir:
		c.lose(path, known)
		c.fresh = append(c.fresh, found{path, have})
	default:
		c.changed = append(c.changed, found{path, have})
	}
}

// lose reports a known file, or all below a known directory, as gone. The
// empty directory of a submodule may be absent.
func (c *comparison) lose(path string, s stamp) {
	switch s.kind() {
	case kindModule:
	case kindDir:
		for _, e := range c.known[path] {
			c.lose(join(path, e.Name), e.stamp)
		}
	default:
		c.gone = append(c.gone, path)
	}
}

// expand lists everything below a directory, directories included, but for
// what lies in a .git.
func expand(root, dir string, limit int) ([]found, error) {
	r, err := openReader(root)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var all []found
	todo := []string{dir}
	for len(todo) > 0 && len(all) <= limit {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		entries, err := r.list(at, func(string) bool { return false })
		if err != nil {
			return nil, err
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
		for _, e := range entries {
			path := join(at, e.Name)
			all = append(all, found{path, e.stamp})
			if e.kind() == kindDir && !isDotGit(e.Name) {
				todo = append(todo, path)
			}
		}
	}
	return all, nil
}
