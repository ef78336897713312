package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Refs of the user's repository that looprun owns. Everything else there is
// the user's, but for the one branch of a landing.
const ours = "refs/looprun/"

func keepRef(task string) string { return ours + "keep/" + refName(task) }
func landRef(task string) string { return ours + "land/" + refName(task) }

// roundRef names a rejected round. Two task ids would fall together with the
// folders above; a "+" is in no task id.
func roundRef(task string, round int) string {
	name := refName(task)
	if name == "keep" || name == "land" {
		name = "+" + name
	}
	return fmt.Sprintf("%s%s/r%d", ours, name, round)
}

// refName makes a task id fit for a ref, which cannot end in a dot.
func refName(task string) string {
	if strings.HasSuffix(task, ".") {
		return task + "+"
	}
	return task
}

// taskOf is the inverse of refName and of roundRef's folder.
func taskOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "+"), "+")
}

const zeroID = "0000000000000000000000000000000000000000"

// A refChange moves one ref from old to new. Old zeroID: it must not exist.
// New zeroID: it is deleted, whatever it was if old is "".
type refChange struct{ ref, old, new string }

// moveRefs makes all changes in the user's repository at once, or none.
func (s *Space) moveRefs(ctx context.Context, why string, changes ...refChange) error {
	var in []string
	for _, c := range changes {
		switch {
		case c.new == zeroID:
			in = append(in, "delete "+c.ref, c.old)
		case c.old == zeroID:
			in = append(in, "create "+c.ref, c.new)
		default:
			in = append(in, "update "+c.ref, c.new, c.old)
		}
	}
	c := s.user("update-ref", "--stdin", "-z", "-m", "looprun: "+why)
	c.stdin, c.lasting = zlist(in), true
	if err := s.noteMoving(changes); err != nil {
		return err
	}
	_, err := s.git.run(ctx, c)
	s.forgetMoving()
	if err != nil {
		return err
	}
	return s.syncRefs(changes)
}

// syncRefs makes the names of new refs durable, as git does for their contents.
func (s *Space) syncRefs(changes []refChange) error {
	synced := map[string]bool{}
	for _, c := range changes {
		dir := filepath.Join(s.repo.common, filepath.FromSlash(c.ref))
		for dir = filepath.Dir(dir); within(s.repo.common, dir) && dir != s.repo.common; dir = filepath.Dir(dir) {
			if synced[dir] || !isDir(dir) { // the last ref of its folder may have gone
				continue
			}
			if err := s.syncDir(dir); err != nil {
				return err
			}
			synced[dir] = true
		}
	}
	return nil
}

// user calls git in the user's repository. Its config is the user's; hooks and
// everything else that could start a program stay off.
func (s *Space) user(args ...string) call { return call{gitDir: s.repo.gitDir, args: args} }

// readRefs reads refs of the user's repository by exact name or by a prefix
// that ends in a slash.
func (s *Space) readRefs(ctx context.Context, patterns ...string) (map[string]string, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, patterns...)
	out, err := s.git.run(ctx, s.user(args...))
	if err != nil {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimRight(line, "\n"), " "); ok {
			refs[name] = id
		}
	}
	return refs, nil
}

// pin makes ref stand at commit. Other refs go with it as far as they still
// can: one that stands right already is left.
func (s *Space) pin(ctx context.Context, why, ref, commit string, more ...refChange) error {
	changes := append([]refChange{{ref, zeroID, commit}}, more...)
	first := s.moveRefs(ctx, why, changes...)
	if first == nil || exitCode(first) < 0 {
		return first
	}
	refs, err := s.readRefs(ctx, ref)
	if err != nil {
		return err
	}
	if have := refs[ref]; have != commit && have != "" {
		changes[0].old = have
	} else if have == commit {
		changes = more
	} else {
		return first
	}
	if len(changes) == 0 {
		return nil
	}
	return s.moveRefs(ctx, why, changes...)
}
