//go:build linux || darwin

package child

import (
	"os"
	"syscall"
	"time"
)

// A family is all processes of one run, however far removed.
type family struct {
	run     string
	level   string
	group   *cgroup
	begun   time.Time
	started *started
	main    process
	known   map[int]process // all that were ever found, by pid
}

// newFamily prepares for the strongest hold on the processes of c that the
// system offers.
func newFamily(c Cmd) *family {
	f := &family{run: c.RunID, level: Group, known: map[int]process{}}
	if c.RunID == "" || c.level == Group || !becomeReaper() {
		return f
	}
	f.level = Subreaper
	if c.level == "" {
		if f.group = newCgroup(c.RunID); f.group != nil {
			f.level = Cgroup
		}
	}
	return f
}

// start starts the command in a session of its own: no terminal reaches it,
// and it can be told from looprun's other children.
func (f *family) start(p *program) (err error) {
	children.begin(f.run)
	f.begun = time.Now()
	p.attr.Sys = attributes(f.group, p.mounts)
	f.started, err = children.start(p, f.run)
	if err != nil && f.group != nil {
		f.dropGroup()
		p.attr.Sys = attributes(nil, p.mounts)
		if f.started, err = children.start(p, f.run); err == nil {
			refuseCgroups()
		}
	}
	if err != nil {
		children.end(f.run)
		return err
	}
	f.main, err = look(f.started.proc.Pid)
	if err != nil { // without /proc, nothing but the pid is known
		f.main = process{pid: f.started.proc.Pid, group: f.started.proc.Pid, session: f.started.proc.Pid}
	}
	return nil
}

func (f *family) dropGroup() {
	_ = f.group.remove() // nothing was started in it
	f.group, f.level = nil, Subreaper
}

// wait waits for the command.
func (f *family) wait() *os.ProcessState { return children.wait(f.started) }

// proc is what a later looprun needs to recognise the command.
func (f *family) proc() Proc {
	id, _ := boot() // "" is the boot id of no machine, so that nothing will be signalled
	return Proc{PID: f.main.pid, Start: f.main.start, Boot: id}
}

// end ends what is alive and returns how many processes that were, the command
// itself not counted.
func (f *family) end(grace time.Duration, now <-chan struct{}) (int, error) {
	defer children.end(f.run)
	e := ending{living: f.living, kill: f.group.kill, seen: map[int]uint64{}}
	err := e.run(grace, now)
	delete(e.seen, f.main.pid)
	return len(e.seen), err
}

// close removes what belongs to the family on disk.
func (f *family) close() error { return f.group.remove() }

// learn keeps what was found: it may lose its trace when its parent dies.
func (f *family) learn(ps []process) []process {
	for _, p := range ps {
		f.known[p.pid] = p
	}
	return ps
}

// knows tells whether p was found before.
func (f *family) knows(p process) bool {
	k, ok := f.known[p.pid]
	return ok && k.start == p.start
}

// isMain tells whether p is the command itself.
func (f *family) isMain(p process) bool { return p.pid == f.main.pid && p.start == f.main.start }

// stranger tells whether p carries the run id. It is asked of processes that do
// not descend from looprun: a service may have been told to start them.
func (f *family) stranger(p process) bool {
	return p.start >= f.main.start && runIDIn(environ(p.pid)) == f.run
}

// attributes of the command.
func attributes(g *cgroup, mounts bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	tie(a, g)
	if mounts {
		ownMounts(a)
	}
	return a
}
