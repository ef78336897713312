package child

import "syscall"

func becomeReaper() bool { return false }

func tie(*syscall.SysProcAttr, *cgroup) {}

func refuseCgroups() {}

// reap has nothing to do: orphans go to the first process of the system.
func (f *family) reap() {}

// living finds the living processes of the run: the command, its group, what
// descends from them, and what carries the run id. What leaves the group,
// loses its parent and clears its environment, all between two looks, is not
// found.
func (f *family) living() ([]process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var roots []process
	for _, p := range all {
		switch {
		case f.isMain(p) || f.knows(p) || p.group == f.main.pid:
			p.alone = f.known[p.pid].alone
			roots = append(roots, p)
		case f.run != "" && !p.dead && f.stranger(p):
			p.alone = true
			roots = append(roots, p)
		}
	}
	return f.learn(tableOf(all).below(roots)), nil
}

func ownMounts(*syscall.SysProcAttr) {}
