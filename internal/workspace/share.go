package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// A Leak is a shared file that names the user's checkout: through it a check
// may read the user's files in place of the candidate's.
type Leak struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // link, text
}

// maxLeaks bounds what is told; a virtual environment has one in every script.
const maxLeaks = 100

// A ShareError tells that a folder cannot be taken from the checkout.
type ShareError struct {
	Path string
	Err  error
}

func (e *ShareError) Error() string { return fmt.Sprintf("share %q: %v", e.Path, e.Err) }

// Unwrap gives the cause.
func (e *ShareError) Unwrap() error { return e.Err }

// Leaks are the shared files that name the checkout, as found when they were
// copied into the check tree.
func (s *Space) Leaks() []Leak {
	s.check.load()
	return s.check.facts.Leaks
}

// hashShares takes the stamps of all shared folders, once for a task: what the
// user changes in the meantime belongs to the next one.
func (s *Space) hashShares(h hash.Hash) error {
	if s.shares == nil {
		s.shares = map[string][]found{}
	}
	for _, path := range s.opts.Share {
		all, ok := s.shares[path]
		if !ok {
			var err error
			if all, err = s.sharable(path); err != nil {
				return &ShareError{path, err}
			}
			s.shares[path] = all
		}
		fmt.Fprintf(h, "share %q\n", path)
		for _, f := range all {
			fmt.Fprintf(h, "%q %v\n", f.path, f.stamp)
		}
	}
	return nil
}

var (
	errNotLocal   = errors.New("not a path below the top of the repository")
	errNotThere   = errors.New("not a folder of the checkout")
	errIsTracked  = errors.New("part of the commit")
	errTooCrowded = errors.New("more than a million files")
)

// sharable lists a folder of the checkout.
func (s *Space) sharable(path string) ([]found, error) {
	clean := filepath.ToSlash(filepath.Clean(path))
	if !filepath.IsLocal(path) || clean == "." || slices.ContainsFunc(strings.Split(clean, "/"), isDotGit) {
		return nil, errNotLocal
	}
	root := filepath.Join(s.repo.top, filepath.FromSlash(clean))
	if real, err := filepath.EvalSymlinks(root); err != nil || real != root || !isDir(root) {
		return nil, errNotThere
	}
	all, err := expand(s.repo.top, clean, 1_000_000)
	if err == nil && len(all) > 1_000_000 {
		err = errTooCrowded
	}
	return all, err
}

// shareInto copies the shared folders, by sharing blocks where the disk can.
func (s *Space) shareInto(ctx context.Context, t *tree) error {
	for _, path := range s.opts.Share {
		clean := filepath.ToSlash(filepath.Clean(path))
		if _, ok := t.known.find(clean); ok {
			return &ShareError{path, errIsTracked}
		}
		if err := fsx.Scratch(t.dir).MkdirAll(filepath.FromSlash(clean)); err != nil {
			return &ShareError{path, err}
		}
		for _, f := range s.shares[path] {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := s.shareFile(t, f); err != nil {
				return &ShareError{path, err}
			}
		}
	}
	return nil
}

// shareFile copies one entry of a shared folder. What is neither file, link nor
// directory is left out.
func (s *Space) shareFile(t *tree, f found) error {
	root, name := fsx.Scratch(t.dir), filepath.FromSlash(f.path)
	from := filepath.Join(s.repo.top, name)
	switch f.kind() {
	case kindDir:
		if err := root.MkdirAll(name); err != nil {
			return err
		}
		return root.Chmod(name, fs.FileMode(f.Mode&0o777|0o700))
	case kindLink:
		to, err := os.Readlink(from)
		if err != nil {
			return err
		}
		if filepath.IsAbs(to) && within(s.repo.top, filepath.Clean(to)) {
			t.leak(f.path, "link")
		}
		return root.Symlink(to, name)
	case kindFile:
		if err := root.CopyFile(from, name); err != nil {
			return err
		}
		names, err := s.namesCheckout(from)
		if names {
			t.leak(f.path, "text")
		}
		return err
	}
	return nil
}

func (t *tree) leak(path, kind string) {
	if len(t.facts.Leaks) < maxLeaks {
		t.facts.Leaks = append(t.facts.Leaks, Leak{path, kind})
	}
}

// namesCheckout looks for the checkout's path in a file.
func (s *Space) namesCheckout(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	want := []byte(s.repo.top)
	buf := make([]byte, 0, 64<<10+len(want))
	for {
		n, err := io.ReadFull(f, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if bytes.Contains(buf, want) {
			return true, nil
		}
		if err != nil {
			return false, ignoreEOF(err)
		}
		keep := copy(buf, buf[len(buf)-len(want)+1:])
		buf = buf[:keep]
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
