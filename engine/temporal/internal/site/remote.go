package site

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
)

// A Remote is the repository that the workers share, as seen from the
// repository at Dir. Its git reads the user's own settings, which say how the
// remote is reached; hooks of Dir do not run.
type Remote struct {
	Dir  string
	Name string // a remote of Dir, a URL or a path
	Env  []string
}

// NewRemote is the remote of a repository; the repository itself where none is
// named.
func NewRemote(dir, name string, env []string) Remote {
	if name == "" {
		name = dir
	}
	return Remote{Dir: dir, Name: name, Env: env}
}

// Itself reports that no other repository is involved.
func (r Remote) Itself() bool { return filepath.Clean(r.Name) == filepath.Clean(r.Dir) }

// A Move is what a ref of the remote shall be, and what it is expected to be.
// An empty Old means that it must not exist, an empty New that it goes away.
type Move struct{ Ref, Old, New string }

// ErrMoved is in the error of Push for a ref that was not as expected.
var ErrMoved = errors.New("the ref stands elsewhere")

// gitTime bounds one call: a remote that hangs must not hold a task for ever.
const gitTime = 10 * time.Minute

// Push moves refs of the remote, all or none. A ref that is right already
// counts as moved, so that a push bears repeating.
func (r Remote) Push(ctx context.Context, moves ...Move) error {
	args := []string{"push", "--quiet", "--atomic", "--no-verify", "--no-follow-tags"}
	var specs, names []string
	for _, m := range moves {
		args = append(args, "--force-with-lease="+m.Ref+":"+m.Old)
		specs, names = append(specs, m.New+":"+m.Ref), append(names, m.Ref)
	}
	_, err := r.git(ctx, append(append(args, r.Name), specs...)...)
	if err == nil {
		return nil
	}
	have, lookErr := r.Read(ctx, names...)
	if lookErr != nil {
		return errors.Join(err, lookErr)
	}
	for _, m := range moves {
		if have[m.Ref] != m.New && have[m.Ref] != m.Old {
			return fmt.Errorf("%s is %.12s: %w", m.Ref, have[m.Ref], ErrMoved)
		}
	}
	for _, m := range moves {
		if have[m.Ref] != m.New {
			return r.rest(ctx, err, have, moves)
		}
	}
	return nil
}

// rest moves what a push before left: git refuses a lease on a ref that stands
// right already.
func (r Remote) rest(ctx context.Context, refused error, have map[string]string, moves []Move) error {
	var left []Move
	for _, m := range moves {
		if have[m.Ref] != m.New {
			left = append(left, m)
		}
	}
	if len(left) == len(moves) {
		return refused
	}
	return r.Push(ctx, left...)
}

// Read looks up refs of the remote; a pattern may end in *. One that is not
// there has no entry.
func (r Remote) Read(ctx context.Context, refs ...string) (map[string]string, error) {
	out, err := r.git(ctx, append([]string{"ls-remote", "--quiet", r.Name}, refs...)...)
	if err != nil {
		return nil, err
	}
	have := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if id, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			have[ref] = id
		}
	}
	return have, nil
}

// Fetch brings what refs of the remote name into Dir, under the names that
// follow a colon or under none.
func (r Remote) Fetch(ctx context.Context, specs ...string) error {
	if r.Itself() {
		return nil
	}
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"}
	_, err := r.git(ctx, append(append(args, r.Name), specs...)...)
	return err
}

// Has reports whether Dir holds a commit.
func (r Remote) Has(ctx context.Context, commit string) bool {
	_, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

func (r Remote) git(ctx context.Context, args ...string) ([]byte, error) {
	verb := args[0]
	argv := append([]string{"git", "-C", r.Dir, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"}, args...)
	ran, err := child.Run(ctx, child.Cmd{
		Argv: argv, Dir: r.Dir, Env: append(r.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0"),
		Wall: gitTime, Grace: time.Second, Keep: 4 << 20, RunID: "git-" + rand.Text(),
	})
	if err != nil {
		return nil, fmt.Errorf("git %s %s: %w", verb, r.Name, err)
	}
	if ran.Ended != child.Exit || ran.ExitCode != 0 {
		said := bytes.TrimSpace(append(ran.Stderr.Head, ran.Stderr.Tail...))
		return nil, fmt.Errorf("git %s %s: %s %d: %s", verb, r.Name, ran.Ended, ran.ExitCode, said)
	}
	return append(ran.Stdout.Head, ran.Stdout.Tail...), nil
}
