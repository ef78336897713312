package child

import (
	"fmt"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// zombie is the state SZOMB of <sys/proc.h>.
const zombie = 5

// boot names this boot of the machine: no process of another one is alive.
var boot = sync.OnceValues(func() (string, error) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("find boot id: %w", err)
	}
	return id, nil
})

// processes lists what is running or waits to be reaped.
func processes() ([]process, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	all := make([]process, 0, len(infos))
	for i := range infos {
		all = append(all, processOf(&infos[i]))
	}
	return all, nil
}

// look reads one process.
func look(pid int) (process, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	if len(infos) == 0 {
		return process{}, unix.ESRCH
	}
	return processOf(&infos[0]), nil
}

// processOf leaves the session out, which the system does not tell.
func processOf(k *unix.KinfoProc) process {
	t := k.Proc.P_starttime
	return process{
		pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid),
		start: uint64(t.Sec)*1e6 + uint64(t.Usec), dead: k.Proc.P_stat == zombie,
	}
}

// environ returns the arguments and the environment that a process was started
// with, nil if it hides them.
func environ(pid int) []byte {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil
	}
	return args
}

// signal sends sig to p, if the pid still belongs to it.
func (p process) signal(sig syscall.Signal) {
	if p.is() {
		_ = unix.Kill(p.pid, sig)
	}
}
