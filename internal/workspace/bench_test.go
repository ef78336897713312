//go:build linux || darwin

package workspace

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	benchFiles   = flag.Int("files", 400, "tracked files of the benchmarks' repository; the goals speak of 20000")
	benchIgnored = flag.Int("ignored", 600, "ignored files of the benchmarks' repository; the goals speak of 30000")
)

// A bench is a generated repository with a tree, in which the generator has
// changed 20 files and added 5.
type bench struct {
	*fixture
	space *Space
	base  string
}

func newBench(b *testing.B, share bool) *bench {
	top := b.TempDir()
	f := &fixture{repo: filepath.Join(top, "repo")}
	b.Setenv("HOME", top)
	b.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	fill(b, filepath.Join(f.repo, "src"), *benchFiles, "package x\n// line\n")
	fill(b, filepath.Join(f.repo, "node_modules"), *benchIgnored, "module.exports = 1\n")
	must(os.WriteFile(filepath.Join(f.repo, ".gitignore"), []byte("node_modules/\n.loop/\n"), 0o644))
	must(os.MkdirAll(filepath.Join(f.repo, ".loop"), 0o755))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=u", "-c", "user.email=u@x", "commit", "-q", "-m", "base"}, {"repack", "-adq"}} {
		c := exec.Command("git", args...)
		c.Dir = f.repo
		must(c.Run())
	}
	o := Options{Repo: f.repo, Loop: filepath.Join(f.repo, ".loop"), Dir: filepath.Join(top, "state")}
	if share {
		o.Share = []string{"node_modules"}
	}
	s, err := Open(b.Context(), o)
	must(err)
	base, _, err := s.Base(b.Context())
	must(err)
	must(s.Prepare(b.Context(), "t1", base))
	return &bench{fixture: f, space: s, base: base}
}

func fill(b *testing.B, root string, n int, line string) {
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%d", i/400), fmt.Sprintf("m%d", i/20))
		if i%20 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		text := strings.Repeat(line, 20+i%40) + fmt.Sprint(i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// edit changes 20 files and adds 5, with other content each time.
func (x *bench) edit(b *testing.B, dir string, round int) {
	for i := range 20 {
		n := i * *benchFiles / 20
		name := filepath.Join(dir, "src", fmt.Sprintf("d%d", n/400), fmt.Sprintf("m%d", n/20), fmt.Sprintf("f%d.txt", n))
		if err := os.WriteFile(name, fmt.Appendf(nil, "changed %d %d\n", round, i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 5 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("new%d.txt", i)), fmt.Appendf(nil, "new %d\n", round), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// cpu is the time that this process and its ended children have used.
func cpu() time.Duration {
	var all time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			all += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return all
}

// gitCPU is the time that plain git takes for the same in the checkout.
func (x *bench) gitCPU(b *testing.B, args ...string) time.Duration {
	c := exec.Command("git", args...)
	c.Dir = x.repo
	if err := c.Run(); err != nil {
		b.Fatal(err)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// BenchmarkSnapshot is to be at most 2.5 times git status.
func BenchmarkSnapshot(b *testing.B) {
	for name, share := range map[string]bool{"plain": false, "with a shared node_modules": true} {
		b.Run(name, func(b *testing.B) {
			x := newBench(b, share)
			var ours, theirs time.Duration
			for i := range b.N {
				x.edit(b, x.space.Dir(), i)
				x.edit(b, x.repo, i)
				x.space.last = nil
				start := cpu()
				snap, err := x.space.Snapshot(b.Context())
				ours += cpu() - start
				if err != nil || len(snap.Changes) != 25 {
					b.Fatal(len(snap.Changes), err)
				}
				theirs += x.gitCPU(b, "status", "--porcelain=v2", "-z")
			}
			report(b, ours, theirs)
		})
	}
}

// BenchmarkReset is to be at most twice git reset --hard and git clean -fd.
func BenchmarkReset(b *testing.B) {
	for name, share := range map[string]bool{"plain": false, "with a shared node_modules": true} {
		b.Run(name, func(b *testing.B) {
			x := newBench(b, share)
			var ours, theirs time.Duration
			for i := range b.N {
				x.edit(b, x.space.Dir(), i)
				x.edit(b, x.repo, i)
				start := cpu()
				err := x.space.Reset(b.Context())
				ours += cpu() - start
				if err != nil {
					b.Fatal(err)
				}
				theirs += x.gitCPU(b, "reset", "-q", "--hard") + x.gitCPU(b, "clean", "-qfd")
			}
			report(b, ours, theirs)
		})
	}
}

// BenchmarkUntouched is the snapshot of a round that changed nothing.
func BenchmarkUntouched(b *testing.B) {
	x := newBench(b, false)
	var ours, theirs time.Duration
	for range b.N {
		start := cpu()
		_, err := x.space.Snapshot(b.Context())
		ours += cpu() - start
		if err != nil {
			b.Fatal(err)
		}
		theirs += x.gitCPU(b, "status", "--porcelain=v2", "-z")
	}
	report(b, ours, theirs)
}

// BenchmarkCommit is the confirmation of a snapshot, by reading every file, and
// the commit.
func BenchmarkCommit(b *testing.B) {
	x := newBench(b, false)
	var ours, theirs time.Duration
	for i := range b.N {
		x.edit(b, x.space.Dir(), i)
		snap, err := x.space.Snapshot(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		start := cpu()
		_, err = x.space.Commit(b.Context(), snap, Meta{Task: "t1", Round: i, At: when})
		ours += cpu() - start
		if err != nil {
			b.Fatal(err)
		}
		theirs += x.gitCPU(b, "status", "--porcelain=v2", "-z")
	}
	report(b, ours, theirs)
}

func report(b *testing.B, ours, theirs time.Duration) {
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N)/1000, "cpu-ms/op")
	b.ReportMetric(float64(theirs.Microseconds())/float64(b.N)/1000, "git-cpu-ms/op")
	b.ReportMetric(float64(ours)/float64(max(theirs, 1)), "ratio")
}
