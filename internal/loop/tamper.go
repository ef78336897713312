package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/config"
	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/signature"
	"looprun.dev/looprun/internal/verify"
)

// A seal is what a task's own records were before a process of it was started,
// by their paths below the task's directory. Where a sandbox holds nothing can
// come to them; a seal shows what does where it does not. What else a user has,
// loop.yaml and other tasks among it, the user may change at any time.
type seal map[string]imprint

// An imprint tells one state of a file from another. A large file is not read:
// it is a raw log, whose digest the journal has.
type imprint struct {
	mode   fs.FileMode
	size   int64
	mtime  int64
	inode  uint64
	digest string
}

// maxImprint bounds what is read of a file.
const maxImprint = 256 << 10

// seal takes the imprints of the task's records.
func (h *host) seal() (seal, error) {
	s := seal{}
	err := filepath.WalkDir(h.journal.Dir(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(h.journal.Dir(), path)
		if err != nil || name == runFile || name == runDraft { // which are written while the process runs
			return err
		}
		s[name], err = h.imprint(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("seal the records of %s: %w", h.journal.ID, err)
	}
	return s, nil
}

func (h *host) imprint(name string) (imprint, error) {
	info, err := os.Lstat(h.taskFile(name))
	if err != nil {
		return imprint{}, err
	}
	p := imprint{mode: info.Mode(), size: info.Size(), inode: fsx.Inode(info)}
	if !info.Mode().IsRegular() || p.size > maxImprint && name != record.JournalFile {
		p.mtime = info.ModTime().UnixNano()
		return p, nil
	}
	f, err := os.Open(h.taskFile(name))
	if err != nil {
		return p, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	p.digest = record.Digest(data)
	return p, err
}

// broken lists the sealed files that are not what they were, sorted. A new file
// is none: what looprun reads there it wrote itself.
func (h *host) broken(s seal) []string {
	var names []string
	for name, before := range s {
		if now, err := h.imprint(name); err != nil || now != before {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// hold compares the records with their seal. What was changed is kept beside
// what it was, and the records are as they were again.
func (h *host) hold(s seal) ([]signature.BoundaryError, error) {
	names := h.broken(s)
	if len(names) == 0 {
		return nil, nil
	}
	if slices.Contains(names, record.JournalFile) {
		if _, err := h.journal.Rescue(); err != nil {
			return nil, err
		}
	}
	repaired, err := h.store.Repair(h.journal.ID)
	if err != nil {
		return nil, err
	}
	for _, r := range repaired {
		if r.Aside != "" {
			h.warn("%s was changed while a process of %s ran: it is %s now, and was rendered again", r.Path, h.journal.ID, filepath.Base(r.Aside))
		}
	}
	var errs []signature.BoundaryError
	for _, name := range names {
		errs = append(errs, tampered(path.Join(LoopDir, "tasks", h.journal.ID, filepath.ToSlash(name))))
	}
	return errs, nil
}

func tampered(path string) signature.BoundaryError {
	return signature.BoundaryError{Code: verify.Tampered, Path: path}
}

// inputs lists what a generator changed of what it was given to read. What it
// took away misleads nobody: it is written anew.
func (h *host) inputs(s round.State, start generator.Start) ([]signature.BoundaryError, error) {
	dir, err := fsx.Open(h.exchange())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	given := map[string][]byte{filepath.Base(start.RequestPath): start.Request, filepath.Base(start.PromptPath): start.Prompt}
	if p := s.Request.Plan; p != nil {
		if given[record.PlanFile(s.Round)], err = planText(p); err != nil {
			return nil, err
		}
	}
	var errs []signature.BoundaryError
	for name, data := range given {
		now, err := dir.Read(name, int64(len(data)))
		if errors.Is(err, fs.ErrNotExist) || err == nil && string(now) == string(data) {
			continue
		}
		errs = append(errs, tampered("exchange/"+name))
	}
	return errs, nil
}

// unseal adds to a try what it did to its records. What it says of itself does
// not count any more: the verification that follows refuses it.
func (h *host) unseal(s round.State, try round.Try, start generator.Start, before seal) (round.Try, error) {
	errs, err := h.hold(before)
	if err != nil {
		return try, err
	}
	more, err := h.inputs(s, start)
	if errs = append(errs, more...); err != nil || len(errs) == 0 {
		return try, err
	}
	var paths []string
	for _, e := range errs {
		paths = append(paths, e.Path)
	}
	slices.Sort(paths)
	try.Candidate.Refused = append(slices.Clip(try.Candidate.Refused), errs...)
	try.Failure = recovery.Failure{
		Category: recovery.None, Class: recovery.Other, Rule: verify.Tampered,
		Detail: "it changed " + strings.Join(paths, ", "),
	}
	return try, nil
}

// untouched lists what checks changed that is not theirs: records of the task,
// and protected files of their tree. The list is never nil.
func (h *host) untouched(ctx context.Context, s round.State, before seal) ([]signature.BoundaryError, error) {
	errs, err := h.hold(before)
	if err != nil {
		return nil, err
	}
	moved, err := h.moved(ctx, s)
	for _, path := range moved {
		errs = append(errs, tampered(path))
	}
	return append([]signature.BoundaryError{}, errs...), err
}

// moved lists protected files that the checks changed in their own tree, other
// than those that they change on the base as well: what one check leaves there
// the next one would believe.
func (h *host) moved(ctx context.Context, s round.State) ([]string, error) {
	rules := verify.NewRules(s.Policy.Boundary, verify.NewBuiltin(config.FileName, s.Policy.Profiles, nil))
	return h.space.Moved(ctx, func(path string) bool {
		return rules.Protected(path) && !slices.Contains(s.Preflight.Touched, path)
	})
}
