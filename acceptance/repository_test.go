//go:build unix

package acceptance

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// repository is all that looprun must leave alone: HEAD, the refs but those
// that are its own, and every file of the checkout and of .git but objects,
// which may only be added.
func repository(ts *testscript.TestScript) string {
	var b strings.Builder
	b.WriteString(git(ts, "symbolic-ref", "HEAD"))
	for line := range strings.Lines(git(ts, "for-each-ref", "--format=%(refname) %(objectname)")) {
		if !strings.HasPrefix(line, "refs/looprun/") && !strings.HasPrefix(line, "refs/heads/looprun/") {
			b.WriteString(line)
		}
	}
	b.WriteString(git(ts, "stash", "list"))
	b.WriteString(git(ts, "--no-optional-locks", "status", "--porcelain"))
	listing(ts, &b, func(path string) bool {
		first, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		switch {
		case strings.Contains(own, "/"+first+"/\n"), strings.Contains(own, "/"+first+"\n"):
			return true
		}
		return strings.HasPrefix(path, ".git/objects") || strings.HasPrefix(path, ".git/refs") ||
			strings.HasPrefix(path, ".git/logs/refs") || path == ".git/packed-refs"
	})
	return b.String()
}

// listing writes a line for each file below the directory of the script: its
// mode, its digest or the target of a link, its path.
func listing(ts *testscript.TestScript, b *strings.Builder, skip func(path string) bool) {
	root := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return err
		}
		if skip(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		line, err := describe(path, d)
		fmt.Fprintf(b, "%s %s\n", line, rel)
		return err
	}))
}

func describe(path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	switch info.Mode().Type() {
	case 0:
		data, err := os.ReadFile(path)
		return fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(data)), err
	case fs.ModeSymlink:
		to, err := os.Readlink(path)
		return "-> " + to, err
	}
	return info.Mode().String(), nil
}

// unmoved fails unless the repository is as it was when it was committed.
func unmoved(ts *testscript.TestScript, neg bool, _ []string) {
	before, after := ts.ReadFile("before"), repository(ts)
	if (after != before) != neg {
		ts.Fatalf("the repository was changed:\n%s", different(before, after))
	}
}

// moved takes the repository as it is now for what must stay: the script itself
// changed it.
func moved(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(os.WriteFile(ts.MkAbs("before"), []byte(repository(ts)), 0o644))
}

// remember keeps what every file is now, in the checkout and in .git.
func remember(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(os.WriteFile(ts.MkAbs("remembered"), []byte(everything(ts)), 0o644))
}

// untouched fails unless every file is as it was when it was remembered.
func untouched(ts *testscript.TestScript, _ bool, _ []string) {
	before, after := ts.ReadFile("remembered"), everything(ts)
	if after != before {
		ts.Fatalf("files were changed:\n%s", different(before, after))
	}
}

func everything(ts *testscript.TestScript) string {
	var b strings.Builder
	listing(ts, &b, func(path string) bool { return path == "remembered" })
	return b.String()
}

// different are the lines that only one of the texts has.
func different(before, after string) string {
	var b strings.Builder
	for _, side := range []struct{ mark, text, other string }{{"-", before, after}, {"+", after, before}} {
		for line := range strings.Lines(side.text) {
			if !strings.Contains("\n"+side.other, "\n"+line) {
				b.WriteString(side.mark + line)
			}
		}
	}
	return b.String()
}
