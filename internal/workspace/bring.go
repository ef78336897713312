package workspace

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"
)

// bring puts a commit, with all that the user's repository lacks of it, into
// that repository, durably. Git checks every object and that none is missing
// before the first name appears.
func (s *Space) bring(ctx context.Context, commit string) error {
	began := time.Now().Add(-2 * time.Second).UnixNano()
	if s.theirs[commit] {
		return nil
	}
	revs, err := s.missing(commit)
	if err != nil {
		return fmt.Errorf("pack %.12s: %w", commit, err)
	}
	pack := s.ctl.bare("pack-objects", "--revs", "--stdout", "-q", "--thin", "--delta-base-offset")
	pack.stdin = []byte(revs)
	data, err := s.git.run(ctx, pack)
	if err != nil {
		return fmt.Errorf("pack %.12s: %w", commit, err)
	}
	n, ok := packed(data)
	if !ok {
		return fmt.Errorf("pack %.12s: no pack came out", commit)
	}
	take := s.user("unpack-objects", "-q", "--strict")
	if n > 100 { // as git itself: loose objects for a few, a pack for many
		take = s.user("index-pack", "--stdin", "--fix-thin", "--strict")
	}
	take.stdin, take.lasting = data, true
	if _, err := s.git.run(ctx, take); err != nil {
		return fmt.Errorf("bring %.12s to the repository: %w", commit, err)
	}
	if err := s.syncObjects(s.repo.objects[0], began); err != nil {
		return err
	}
	s.theirs[commit] = true
	return nil
}

// missing lists a commit and what it stands on, down to the first commits that
// the user's repository has, as revisions for git.
func (s *Space) missing(commit string) (string, error) {
	revs, todo := commit+"\n", []string{commit}
	for len(todo) > 0 {
		c, err := s.openObjects().commit(todo[0])
		if err != nil {
			return "", err
		}
		todo = todo[1:]
		for _, p := range c.ParentHashes {
			if s.theirs[p.String()] || s.store.has(p) {
				revs += "^" + p.String() + "\n"
			} else {
				todo = append(todo, p.String())
			}
		}
	}
	return revs, nil
}

// parents are what a commit stands on, if that can be read here.
func (s *Space) parents(commit string) []string {
	c, err := s.openObjects().commit(commit)
	if err != nil {
		return nil
	}
	var ids []string
	for _, p := range c.ParentHashes {
		ids = append(ids, p.String())
	}
	return ids
}

// packed reads how many objects a pack says it has.
func packed(b []byte) (uint32, bool) {
	if len(b) < 32 || !bytes.HasPrefix(b, []byte("PACK")) {
		return 0, false
	}
	return binary.BigEndian.Uint32(b[8:]), true
}
