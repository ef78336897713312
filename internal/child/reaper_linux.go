package child

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// becomeReaper makes orphans of all descendants come to looprun. From then on
// no descendant can leave the tree below looprun, whatever it does.
var becomeReaper = sync.OnceValue(func() bool {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return false
	}
	_, err := look(os.Getpid()) // without /proc orphans could not be told apart
	return err == nil
})

// childless tells whether looprun has no child at all, dead or alive, and so
// as a reaper no descendant. idle tells that none waits to be reaped.
func childless() (none, idle bool) {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err == unix.ECHILD, err == unix.ECHILD || err == nil && info.Signo == 0
}

// reapOrphans takes the statuses of dead orphans, which nobody asks for.
func reapOrphans(ps []process) {
	for _, p := range ps {
		if p.dead && adopted(p) {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG|unix.WALL, nil)
		}
	}
}

// adopted tells whether p came to looprun as an orphan. What shares looprun's
// session was started by another part of the program: no orphan can join it.
func adopted(p process) bool {
	return p.parent == os.Getpid() && p.session != ownSession() && !children.owns(p.pid)
}

var ownSession = sync.OnceValue(func() int {
	sid, _ := unix.Getsid(0)
	return sid
})
