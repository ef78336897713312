package child

import (
	"os"
	"syscall"
	"time"
)

// tie lets the kernel end the command with looprun, and puts it into g.
func tie(a *syscall.SysProcAttr, g *cgroup) {
	a.Pdeathsig = syscall.SIGKILL
	if g != nil {
		a.UseCgroupFD, a.CgroupFD = true, g.fd
	}
}

// refuseCgroups remembers that the system starts nothing in a cgroup.
func refuseCgroups() { cgroupOff.Store(true) }

// living finds the living processes of the run.
func (f *family) living() ([]process, error) {
	if f.level == Group {
		return f.inGroup()
	}
	if ps := f.group.members(); len(ps) > 0 {
		return ps, nil
	}
	children.gate.Lock()
	defer children.gate.Unlock()
	if none, _ := childless(); none && !f.newcomers() {
		return nil, nil
	}
	all, err := processes()
	if err != nil {
		return nil, err
	}
	living := f.pick(tableOf(all))
	reapOrphans(all)
	return f.learn(living), nil
}

// pick chooses the processes of the run from all that there are.
func (f *family) pick(t table) []process {
	ids, sessions := children.others(f.run)
	ours := t.below([]process{t.all[os.Getpid()]})
	descends := make(map[int]bool, len(ours))
	for _, p := range ours {
		descends[p.pid] = true
	}
	var roots []process
	for _, p := range t.all {
		switch {
		case f.isMain(p) || f.knows(p):
			p.alone = f.known[p.pid].alone
			roots = append(roots, p)
		case adopted(p):
			if f.adopts(p, ids, sessions) {
				roots = append(roots, p)
			}
		case !descends[p.pid] && !p.dead && f.stranger(p):
			p.alone = true
			roots = append(roots, p)
		}
	}
	return t.below(roots)
}

// adopts decides about an orphan. One without a mark belongs to the run if
// there is no other, and waits for the last one else.
func (f *family) adopts(p process, others map[string]bool, sessions map[int]bool) bool {
	if p.session == f.main.pid || p.group == f.main.pid {
		return true
	}
	id := runIDIn(environ(p.pid))
	switch {
	case id == f.run:
		return true
	case others[id] || sessions[p.session]:
		return false
	}
	// The first process of a container is sent everybody's orphans.
	return len(others) == 0 && os.Getpid() != 1
}

// newcomers tells whether a process that is no descendant may carry the run id.
// Pids are given out in order, so that after a short run a few looks will do.
func (f *family) newcomers() bool {
	const soon, few = time.Second, 64
	last := newest()
	if time.Since(f.begun) > soon || last < f.main.pid || last > f.main.pid+few {
		return true
	}
	for pid := f.main.pid + 1; pid <= last; pid++ {
		if runIDIn(environ(pid)) == f.run {
			return true
		}
	}
	return false
}

// inGroup finds what is in the group and session of the command.
func (f *family) inGroup() ([]process, error) {
	if syscall.Kill(-f.main.pid, 0) == syscall.ESRCH {
		return nil, nil
	}
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var living []process
	for _, p := range all {
		if !p.dead && (p.group == f.main.pid || p.session == f.main.pid) {
			living = append(living, p)
		}
	}
	return living, nil
}

// reap takes the statuses of orphans that died while the command runs: they
// would use up pids until its end.
func (f *family) reap() {
	if f.level == Group {
		return
	}
	if _, idle := childless(); idle {
		return
	}
	children.gate.Lock()
	defer children.gate.Unlock()
	if all, err := processes(); err == nil {
		reapOrphans(all)
	}
}
