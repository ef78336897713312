package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Moved lists which of the commit's files that are asked for are not as
// CheckTree laid them out, sorted. One whose contents came back to what they
// were is none of them. In place nothing was laid out.
func (s *Space) Moved(ctx context.Context, asked func(path string) bool) ([]string, error) {
	if s.opts.InPlace {
		return nil, nil
	}
	touched := s.check.touched(asked)
	if len(touched) == 0 {
		return nil, nil
	}
	// Unlike diff-files, diff leaves out what has another stamp alone.
	out, err := s.git.run(ctx, s.check.call("diff", "-z", "--name-only", "--no-ext-diff", "--no-textconv"))
	if err != nil {
		return nil, fmt.Errorf("compare the check tree: %w", err)
	}
	differ := strings.Split(string(out), "\x00")
	return slices.DeleteFunc(touched, func(path string) bool { return !slices.Contains(differ, path) }), nil
}

// touched lists files whose stamps are not those that they were left with.
func (t *tree) touched(asked func(path string) bool) []string {
	t.load()
	var paths []string
	for dir, entries := range t.known {
		for _, e := range entries {
			path := join(dir, e.Name)
			if e.Made || e.kind() == kindDir || e.kind() == kindModule || !asked(path) {
				continue
			}
			if now, err := lstat(filepath.Join(t.dir, filepath.FromSlash(path))); err != nil || !e.same(now) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}
