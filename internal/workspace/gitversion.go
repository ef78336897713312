package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

func findProgram(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a relative entry would be looked up in the agent's tree
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("look for %s in PATH %q: %w", name, path, ErrNoGit)
}

// checkVersion refuses a git that cannot merge without a work tree (2.38).
func (g *door) checkVersion(ctx context.Context, key string) error {
	d, err := fsx.Open(key)
	if err != nil {
		return fmt.Errorf("open %q: %w", key, err)
	}
	defer d.Close()
	info, err := os.Stat(g.bin)
	if err != nil {
		return fmt.Errorf("stat %q: %w", g.bin, err)
	}
	id := fmt.Sprintf("%s %d %d ", g.bin, info.Size(), info.ModTime().UnixNano())
	known, _ := d.Read("git-version", 4096)
	said, ok := strings.CutPrefix(string(known), id)
	if !ok {
		out, err := g.run(ctx, call{args: []string{"version"}})
		if err != nil {
			return err
		}
		said = strings.TrimSpace(string(out))
	}
	if !newEnough(said) {
		return fmt.Errorf("%s is %q, 2.38 is needed: %w", g.bin, said, ErrOldGit)
	}
	if !ok {
		return d.View("git-version", []byte(id+said))
	}
	return nil
}

// newEnough reads "git version 2.39.5 (Apple Git-154)" and its like.
func newEnough(said string) bool {
	f := strings.Fields(said)
	if len(f) < 3 {
		return false
	}
	major, rest, _ := strings.Cut(f[2], ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, err1 := strconv.Atoi(major)
	y, err2 := strconv.Atoi(minor)
	return err1 == nil && err2 == nil && (x > 2 || x == 2 && y >= 38)
}
