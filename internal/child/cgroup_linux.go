package child

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A cgroup holds all processes of one run. Children of its members are members
// from birth, and one write ends them all. The methods of a nil cgroup do
// nothing. Its files are the kernel's, so that nothing here is a durable write.
type cgroup struct {
	dir string
	fd  int
}

const cgroupPrefix = "looprun-"

var (
	cgroupCount atomic.Int64
	// cgroupOff is set when the kernel refused to start a process in a cgroup,
	// as a filter of system calls may make it.
	cgroupOff atomic.Bool
)

// cgroupBase is the directory of looprun's own cgroup, "" if none can be made
// below it.
var cgroupBase = sync.OnceValue(func() string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	base := cgroupDir(string(own), string(mounts))
	if base == "" || probeCgroup(base) != nil {
		return ""
	}
	return base
})

// cgroupDir finds where looprun's own cgroup of the second version is mounted.
func cgroupDir(own, mounts string) string {
	var path string
	found := false
	for line := range strings.Lines(own) {
		if path, found = strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); found {
			break
		}
	}
	if !found || strings.HasPrefix(path, "/..") { // out of sight of this namespace
		return ""
	}
	for line := range strings.Lines(mounts) {
		// ID parent major:minor root mountpoint options ... - type source options
		head, tail, ok := strings.Cut(line, " - ")
		f := strings.Fields(head)
		if !ok || len(f) < 5 || !strings.HasPrefix(tail, "cgroup2 ") {
			continue
		}
		if rel, err := filepath.Rel(f[3], path); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return filepath.Join(f[4], rel)
		}
	}
	return ""
}

// probeCgroup tries all that is needed short of starting a process.
func probeCgroup(base string) error {
	g, err := makeCgroup(base, "probe")
	if err != nil {
		return err
	}
	defer g.remove()
	return unix.Access(g.file("cgroup.kill"), unix.W_OK)
}

// newCgroup makes the cgroup of a run, nil where there can be none.
func newCgroup(run string) *cgroup {
	if cgroupOff.Load() || cgroupBase() == "" {
		return nil
	}
	g, err := makeCgroup(cgroupBase(), run)
	if err != nil {
		return nil
	}
	return g
}

func makeCgroup(base, run string) (*cgroup, error) {
	name := cgroupName(run) + strconv.Itoa(os.Getpid()) + "." + strconv.FormatInt(cgroupCount.Add(1), 10)
	g := &cgroup{dir: filepath.Join(base, name), fd: -1}
	if err := unix.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("make cgroup: %w", err)
	}
	var err error
	if g.fd, err = unix.Open(g.dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		unix.Rmdir(g.dir)
		return nil, fmt.Errorf("open cgroup: %w", err)
	}
	return g, nil
}

// cgroupName is how the names of all cgroups of a run begin.
func cgroupName(run string) string {
	sum := sha256.Sum256([]byte(run))
	return cgroupPrefix + hex.EncodeToString(sum[:8]) + "."
}

func (g *cgroup) file(name string) string { return filepath.Join(g.dir, name) }

// populated tells whether a member is alive.
func (g *cgroup) populated() bool {
	if g == nil {
		return false
	}
	var buf [256]byte
	events, err := readProc(g.file("cgroup.events"), buf[:])
	return err == nil && bytes.Contains(events, []byte("populated 1"))
}

// members are the living processes in the cgroup and in those below it.
func (g *cgroup) members() []process {
	if !g.populated() {
		return nil
	}
	var ps []process
	for _, dir := range cgroupTree(g.dir) {
		pids, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue
		}
		for _, pid := range strings.Fields(string(pids)) {
			if p, err := readStat(pid); err == nil && !p.dead {
				ps = append(ps, p)
			}
		}
	}
	return ps
}

// cgroupTree lists dir and the cgroups below it, parents first.
func cgroupTree(dir string) []string {
	dirs := []string{dir}
	for i := 0; i < len(dirs); i++ {
		entries, err := os.ReadDir(dirs[i])
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() {
				dirs = append(dirs, filepath.Join(dirs[i], e.Name()))
			}
		}
	}
	return dirs
}

// kill ends all members, also those that are being born.
func (g *cgroup) kill() {
	if g == nil {
		return
	}
	fd, err := unix.Open(g.file("cgroup.kill"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	_, _ = unix.Write(fd, []byte("1"))
}

// remove takes the empty cgroup away. The kernel may need a moment after the
// last member has died.
func (g *cgroup) remove() error {
	if g == nil {
		return nil
	}
	if g.fd >= 0 {
		unix.Close(g.fd)
		g.fd = -1
	}
	for wait := time.Millisecond; ; wait *= 2 {
		err := unix.Rmdir(g.dir)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if wait > time.Second {
			return fmt.Errorf("remove cgroup %q: %w", g.dir, err)
		}
		dirs := cgroupTree(g.dir)
		for i := len(dirs) - 1; i > 0; i-- { // the child may have made some
			unix.Rmdir(dirs[i])
		}
		time.Sleep(wait)
	}
}

// leftCgroups finds the cgroups that a dead looprun has left of a run.
func leftCgroups(run string) []*cgroup {
	if cgroupBase() == "" {
		return nil
	}
	entries, err := os.ReadDir(cgroupBase())
	if err != nil {
		return nil
	}
	var left []*cgroup
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), cgroupName(run)) {
			left = append(left, &cgroup{dir: filepath.Join(cgroupBase(), e.Name()), fd: -1})
		}
	}
	return left
}
