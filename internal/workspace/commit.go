package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"looprun.dev/looprun/internal/fsx"
)

// Every commit of looprun has this author, so that its id depends on nothing
// but the candidate.
const (
	authorName  = "looprun"
	authorEmail = "looprun@localhost"
)

// Meta is what a candidate's commit says besides its tree. The same Meta and
// Snapshot always give the same commit.
type Meta struct {
	Task, Title string
	Round, Try  int
	At          time.Time
	Trailers    [][2]string // after Looprun-Task and Looprun-Round
}

// Commit makes the candidate, durably, and names it in the control directory.
// Before that the work tree is read once more without any cache, and the list
// of changed paths is derived a second time, by other code. Repeating it is
// harmless.
func (s *Space) Commit(ctx context.Context, snap Snapshot, m Meta) (string, error) {
	if snap.Tree == "" {
		return "", fmt.Errorf("commit %s: %w", m.Task, errRefused)
	}
	if s.last == nil || s.last.snap.Tree != snap.Tree || s.last.snap.Base != snap.Base {
		return "", fmt.Errorf("commit %s: not the last snapshot: %w", m.Task, ErrUnstable)
	}
	if err := s.confirm(ctx, snap); err != nil {
		return "", fmt.Errorf("commit %s: %w", m.Task, err)
	}
	dir := s.ctl.objects
	if s.opts.InPlace {
		dir = s.objectDir()
	}
	if err := s.syncObjects(dir, s.began); err != nil {
		return "", fmt.Errorf("commit %s: %w", m.Task, err)
	}
	obj, err := encodeCommit(snap.Tree, []string{snap.Base}, m.At, m.message())
	if err != nil {
		return "", fmt.Errorf("commit %s: %w", m.Task, err)
	}
	id, err := s.put(dir, obj)
	if err != nil {
		return "", fmt.Errorf("commit %s: %w", m.Task, err)
	}
	s.trees[id] = snap.Tree
	if err := s.nameCandidate(m, id); err != nil {
		return "", fmt.Errorf("commit %s: %w", m.Task, err)
	}
	return id, nil
}

var errRefused = errors.New("the snapshot was refused")

// encodeCommit builds a commit object. It is the same byte for byte as what git
// itself would write.
func encodeCommit(tree string, parents []string, at time.Time, message string) (plumbing.EncodedObject, error) {
	who := object.Signature{Name: authorName, Email: authorEmail, When: at.UTC().Truncate(time.Second)}
	c := object.Commit{Author: who, Committer: who, Message: message, TreeHash: plumbing.NewHash(tree)}
	for _, p := range parents {
		c.ParentHashes = append(c.ParentHashes, plumbing.NewHash(p))
	}
	obj := &plumbing.MemoryObject{}
	return obj, c.Encode(obj)
}

// message is a subject line and the trailers.
func (m Meta) message() string {
	title := oneLine(m.Title)
	if title == "" {
		title = oneLine(m.Task)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nLooprun-Task: %s\nLooprun-Round: %d\n", title, oneLine(m.Task), m.Round)
	for _, t := range m.Trailers {
		fmt.Fprintf(&b, "%s: %s\n", oneLine(t[0]), oneLine(t[1]))
	}
	return b.String()
}

// oneLine makes any text fit for a line of a commit message.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

// nameCandidate keeps the commit under refs/looprun/cand/<task>/r<N>/t<K> of the
// control directory. The ref is a file that looprun alone writes, so it is
// written as durably as a record.
func (s *Space) nameCandidate(m Meta, id string) error {
	dir := filepath.Join(s.ctl.dir, "refs", "looprun", "cand", refName(m.Task), "r"+strconv.Itoa(m.Round))
	d, err := fsx.MkdirAll(dir, s.seams()...)
	if err != nil {
		return err
	}
	defer d.Close()
	name := "t" + strconv.Itoa(m.Try)
	err = d.Create(name, []byte(id+"\n"))
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	have, err := d.Read(name, 128)
	if err == nil && strings.TrimSpace(string(have)) != id {
		err = fmt.Errorf("candidate of round %d try %d is %.12s already", m.Round, m.Try, have)
	}
	return err
}

// Forget takes away what is left in the control directory of an earlier task of
// that id, of which no record is left: a checkout that was made anew in the same
// place, or records that were removed by hand.
func (s *Space) Forget(task string) error {
	old := filepath.Join(s.ctl.dir, "refs", "looprun", "cand", refName(task))
	if err := fsx.Scratch(old).RemoveAll(""); err != nil {
		return fmt.Errorf("forget an earlier %s: %w", task, err)
	}
	return nil
}
