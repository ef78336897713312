package site

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// two is a clone of a bare remote with two commits, the newer first.
func two(t *testing.T) (r Remote, newer, older string) {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.org"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "--bare", "remote.git")
	git("init", "-q", "clone")
	git("-C", "clone", "commit", "-q", "--allow-empty", "-m", "one")
	git("-C", "clone", "commit", "-q", "--allow-empty", "-m", "two")
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	return NewRemote(filepath.Join(dir, "clone"), filepath.Join(dir, "remote.git"), env), git("-C", "clone", "rev-parse", "HEAD"), git("-C", "clone", "rev-parse", "HEAD^")
}

func TestPushMovesARefOnlyFromWhereItIsExpected(t *testing.T) {
	r, newer, older := two(t)
	const try, accepted = "refs/looprun/t1/r1/t1", "refs/looprun/t1/accepted"
	tests := []struct {
		does    string
		moves   []Move
		refused bool
		want    map[string]string
	}{
		{"a try is made", []Move{{Ref: try, New: older}}, false, map[string]string{try: older}},
		{"a repeated push changes nothing", []Move{{Ref: try, New: older}}, false, map[string]string{try: older}},
		{"a second writer of the same try is refused", []Move{{Ref: try, New: newer}}, true, map[string]string{try: older}},
		{"all or none", []Move{{Ref: accepted, New: newer}, {Ref: try, New: newer}}, true, map[string]string{try: older}},
		{"what is right already is no obstacle", []Move{{Ref: try, New: older}, {Ref: accepted, New: newer}}, false, map[string]string{try: older, accepted: newer}},
		{"accepted does not move from another value", []Move{{Ref: accepted, Old: older, New: older}}, true, map[string]string{try: older, accepted: newer}},
		{"a dead try is pruned", []Move{{Ref: try, Old: older}}, false, map[string]string{accepted: newer}},
		{"and once more", []Move{{Ref: try, Old: older}}, false, map[string]string{accepted: newer}},
	}
	ctx := context.Background()
	for _, tt := range tests {
		err := r.Push(ctx, tt.moves...)
		if errors.Is(err, ErrMoved) != tt.refused || err != nil && !tt.refused {
			t.Errorf("%s: Push = %v; want refused %v", tt.does, err, tt.refused)
		}
		have, err := r.Read(ctx, "refs/looprun/*")
		if diff := cmp.Diff(tt.want, have); err != nil || diff != "" {
			t.Errorf("%s: refs (-want +got, %v):\n%s", tt.does, err, diff)
		}
	}
}
