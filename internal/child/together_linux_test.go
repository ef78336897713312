package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// underWay starts a run that has an orphan, and returns when that is there.
// finish lets it end.
func underWay(t *testing.T, token string, words ...string) (finish func() Result) {
	dir := t.TempDir()
	ready, leave := filepath.Join(dir, "ready"), filepath.Join(dir, "leave")
	inner := strings.Join(fake("leave", append([]string{token}, words...)...), " ")
	c := shell(inner + "; : > " + ready + "; while [ ! -e " + leave + " ]; do sleep 0.01; done; exit 7")
	c.RunID, c.level = token, Subreaper
	done := make(chan Result)
	go func() {
		res, err := Run(t.Context(), c)
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	await(t, "the orphan", func() bool { _, err := os.Stat(ready); return err == nil })
	return func() Result {
		os.WriteFile(leave, nil, 0o600)
		return <-done
	}
}

func TestRunsAtTheSameTimeLeaveEachOtherAlone(t *testing.T) {
	first, second := unique(t)+"-first", unique(t)+"-second"
	finish := underWay(t, first, "session", "fork", "session")
	c := Cmd{Argv: fake("leave", second, "session", "fork", "session"), RunID: second, level: Subreaper}
	if res := mustRun(t, c); res.ExitCode != 0 || res.ProcessesEnded == 0 {
		t.Errorf("second run = %+v", res)
	}
	if left := running(second); len(left) > 0 {
		t.Errorf("of the second run %v are left", left)
	}
	if left := running(first); len(left) < 3 { // the shell, and two of the escape
		t.Errorf("of the first run only %v are left; want it untouched", left)
	}
	if res := finish(); res.ExitCode != 7 || res.ProcessesEnded == 0 {
		t.Errorf("first run = %+v; want exit 7", res)
	}
	if left := running(first); len(left) > 0 {
		t.Errorf("of the first run %v are left", left)
	}
}

// Without a cgroup an orphan without any mark could belong to either of two
// runs. It is left to the last one.
func TestAnOrphanWithoutMarkWaitsForTheLastRun(t *testing.T) {
	first, second := unique(t)+"-first", unique(t)+"-second"
	finish := underWay(t, first, "session")
	mustRun(t, Cmd{Argv: fake("leave", second, "noenv", "fork", "noenv", "fork"), RunID: second, level: Subreaper})
	finish()
	if left := append(running(first), running(second)...); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if none, _ := childless(); !none {
		t.Error("a child is left, dead or alive")
	}
}

// The sweep of orphans must neither end nor reap what another part of the
// program has started.
func TestOtherChildrenKeepTheirStatus(t *testing.T) {
	other := exec.Command("sh", "-c", "read x; exit 9")
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	gone := exec.Command("sh", "-c", "exit 8")
	for _, cmd := range []*exec.Cmd{other, gone} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "the end of one", func() bool { p, err := look(gone.Process.Pid); return err == nil && p.dead })
	token := unique(t)
	mustRun(t, Cmd{Argv: fake("leave", token, "session", "fork"), RunID: token, level: Subreaper})
	in.Close()
	other.Wait()
	gone.Wait()
	if a, b := other.ProcessState.ExitCode(), gone.ProcessState.ExitCode(); a != 9 || b != 8 {
		t.Errorf("exit codes = %d, %d; want 9, 8", a, b)
	}
}

func TestStatusesAreNotStolen(t *testing.T) {
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 8 {
				code := 10*i + j
				c := shell(fmt.Sprintf("setsid sh -c 'sleep 20 & exit' & exit %d", code))
				c.RunID = fmt.Sprintf("%s-%d", unique(t), code)
				if i%2 == 0 {
					c.level = Subreaper
				}
				if res, err := Run(t.Context(), c); res.ExitCode != code || err != nil {
					t.Errorf("Run = %d, %v; want %d", res.ExitCode, err, code)
				}
				if _, res, err := Output(t.Context(), shell(fmt.Sprintf("exit %d", code))); res.ExitCode != code || err != nil {
					t.Errorf("Output = %d, %v; want %d", res.ExitCode, err, code)
				}
			}
		})
	}
	all.Wait()
}

// Orphans that die while a command runs must not pile up as zombies until its
// end.
func TestDeadOrphansAreReapedOnTheWay(t *testing.T) {
	c := shell("for i in 1 2 3; do (setsid sh -c 'exit 0' &); done; sleep 5")
	c.RunID, c.Wall = unique(t), time.Minute
	zombies := func() (n int) {
		all, _ := processes()
		for _, p := range all {
			if p.dead && p.parent == os.Getpid() {
				n++
			}
		}
		return n
	}
	f := newFamily(c)
	defer f.close()
	f.reap() // what other tests have left
	p, _, err := c.program()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	p.attr.Files = []*os.File{null, null, null}
	if err := f.start(p); err != nil {
		t.Fatal(err)
	}
	await(t, "three dead orphans", func() bool { return zombies() == 3 })
	f.reap()
	if n := zombies(); n != 0 {
		t.Errorf("%d zombies after reap; want none", n)
	}
	unix.Kill(f.main.pid, unix.SIGKILL)
	f.wait()
	if _, err := f.end(0, nil); err != nil {
		t.Error(err)
	}
}
