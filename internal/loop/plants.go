package loop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/verify"
)

// A plant is a fault and how to make it in a tree.
type plant struct {
	fault, want string
	skip        string
	make        func(tree fsx.Scratch) error
}

func (d *drill) plants() []plant {
	b := d.cfg.Boundary
	fresh := func(n int) string { return filepath.FromSlash(fmt.Sprintf("%s_%d%s", d.spot, n, d.ext)) }
	write := func(text string) func(fsx.Scratch) error {
		return func(tree fsx.Scratch) error { return tree.WriteFile(fresh(1), []byte(text)) }
	}
	key := "AK" + "IA" + "Q7ZP4M2KD9WX3LTB" // of nobody; in one piece it would be found here
	all := []plant{
		{fault: "an empty line at the end of " + d.file, want: accepted, make: func(tree fsx.Scratch) error { return appendTo(tree, d.file, "\n") }},
		d.protected(), d.outside(),
		{fault: "a repository inside the tree", want: verify.NestedRepository, make: func(tree fsx.Scratch) error {
			dir := filepath.FromSlash(d.spot + "/.git")
			return errors.Join(tree.MkdirAll(dir), tree.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n")))
		}},
		{fault: "a link that leaves the tree", want: verify.LinkOutside, make: func(tree fsx.Scratch) error { return tree.Symlink("/etc/hosts", fresh(1)) }},
		{fault: "a credential", want: verify.Secret, make: write("key = " + key + "\n")},
		{fault: fmt.Sprintf("a file above boundary.max_bytes (%d)", b.MaxBytes), want: verify.TooLarge, make: write(strings.Repeat("x", int(b.MaxBytes)+1))},
		{fault: fmt.Sprintf("more lines than boundary.max_changed_lines (%d)", b.MaxLines), want: verify.TooManyLines, make: write(strings.Repeat("\n", b.MaxLines+1))},
		{fault: fmt.Sprintf("more files than boundary.max_changed_files (%d)", b.MaxFiles), want: verify.TooManyFiles, make: func(tree fsx.Scratch) error {
			for n := range b.MaxFiles + 1 {
				if err := tree.WriteFile(fresh(n), nil); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	for i := range all {
		if d.file == "" && all[i].want != verify.ProtectedPath && all[i].skip == "" {
			all[i].skip = "boundary allows no file of the base to change"
		}
	}
	return all
}

func appendTo(tree fsx.Scratch, name, text string) error {
	name = filepath.FromSlash(name)
	data, err := os.ReadFile(tree.Path(name))
	if err != nil {
		return err
	}
	return tree.WriteFile(name, append(data, text...))
}

// protected changes the first file of the base that is out of reach.
func (d *drill) protected() plant {
	for _, name := range d.builtin.Base {
		info, err := os.Lstat(filepath.Join(d.space.Dir(), filepath.FromSlash(name)))
		if d.rules.Protected(name) && err == nil && info.Mode().IsRegular() {
			return plant{fault: "a change of " + name, want: verify.ProtectedPath, make: func(tree fsx.Scratch) error { return appendTo(tree, name, "\n") }}
		}
	}
	return plant{fault: "a change of a protected file", want: verify.ProtectedPath, skip: "no file of the base is protected"}
}

// outside makes a file where no candidate may.
func (d *drill) outside() plant {
	const name = "looprun_drill_outside.txt"
	p := plant{fault: "a file outside boundary.allow", want: verify.PathNotAllowed, make: func(tree fsx.Scratch) error { return tree.WriteFile(name, []byte("x\n")) }}
	if d.rules.Allowed(name) {
		p.skip = "boundary.allow allows every path"
	}
	return p
}
