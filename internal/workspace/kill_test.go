//go:build linux || darwin

package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A process that is killed from outside dies with its git in the middle of a
// checkout, not between two steps. The test binary plays looprun.
func TestAKilledProcessLeavesNothingThatANewOneCannotMakeRight(t *testing.T) {
	if job := os.Getenv("WORKSPACE_TEST_LIFE"); job != "" {
		f := &fixture{t: t}
		f.useRepo(job)
		f.opts.Dir = os.Getenv("WORKSPACE_TEST_STATE")
		_, err := f.life(nil)
		mustDo(t, err)
		return
	}
	t.Parallel()
	f := newFixture(t)
	for i := range 800 {
		f.write(fmt.Sprintf("many/d%d/f%d.txt", i/50, i), fmt.Sprintf("line %d\n", i))
	}
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "many")
	f.messUp()
	f.before = f.userState()
	f.startOver()
	start := time.Now()
	mustDo(t, f.lifeOutside(t, 0))
	whole, refs := time.Since(start), f.refs()
	for i := range 4 {
		f.startOver()
		_ = f.lifeOutside(t, whole*time.Duration(i+1)/5)
		mustDo(t, f.lifeOutside(t, 0))
		if got := f.refs(); got != refs {
			t.Errorf("killed after %v: refs = %s; want %s", whole*time.Duration(i+1)/5, got, refs)
		}
		f.untouched()
	}
}

// lifeOutside runs life in a process of its own and kills it, with its
// children, after d, if d is not 0.
func (f *fixture) lifeOutside(t *testing.T, d time.Duration) error {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestAKilledProcessLeaves")
	c.Env = append(os.Environ(), "WORKSPACE_TEST_LIFE="+f.repo, "WORKSPACE_TEST_STATE="+f.dir)
	c.Dir = filepath.Dir(f.repo)
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		return err
	}
	if d > 0 {
		timer := time.AfterFunc(d, func() { _ = c.Process.Kill() })
		defer timer.Stop()
	}
	err := c.Wait()
	if err != nil && d == 0 {
		return fmt.Errorf("%w\n%s", err, said.String())
	}
	return err
}
