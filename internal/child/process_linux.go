package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// boot names this boot of the machine: no process of another one is alive.
var boot = sync.OnceValues(func() (string, error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("find boot id: %w", err)
	}
	return strings.TrimSpace(string(id)), nil
})

// processes lists what is running or waits to be reaped.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	all := make([]process, 0, len(names))
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		// A process that has gone in the meantime is none.
		if p, err := readStat(name); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// look reads one process.
func look(pid int) (process, error) { return readStat(strconv.Itoa(pid)) }

func readStat(pid string) (process, error) {
	var buf [1024]byte
	line, err := readProc("/proc/"+pid+"/stat", buf[:])
	if err != nil {
		return process{}, err
	}
	return parseStat(line)
}

// readProc fills buf with the beginning of a file of /proc. It goes past
// os.File, which would try to poll each of the hundreds of files.
func readProc(path string, buf []byte) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for n < len(buf) {
		m, err := unix.Read(fd, buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m == 0 {
			break
		}
		n += m
	}
	return buf[:n], nil
}

var errStat = errors.New("not a line of /proc/PID/stat")

// parseStat reads the line of /proc/PID/stat. The name of the command stands
// in it as it is, so that only the last parenthesis counts.
func parseStat(line []byte) (p process, err error) {
	name := bytes.IndexByte(line, '(')
	end := bytes.LastIndexByte(line, ')')
	if name < 1 || end < name {
		return p, errStat
	}
	f := strings.Fields(string(line[end+1:]))
	if len(f) < 20 {
		return p, errStat
	}
	var threads int
	for _, n := range []struct {
		to   *int
		text string
	}{
		{&p.pid, strings.TrimSpace(string(line[:name]))},
		{&p.parent, f[1]}, {&p.group, f[2]}, {&p.session, f[3]}, {&threads, f[17]},
	} {
		if *n.to, err = strconv.Atoi(n.text); err != nil {
			return process{}, errStat
		}
	}
	if p.start, err = strconv.ParseUint(f[19], 10, 64); err != nil {
		return process{}, errStat
	}
	// The first thread may end before the others, and looks dead then.
	p.dead = (f[0] == "Z" || f[0] == "X") && threads <= 1
	return p, nil
}

// maxEnviron bounds what is read of an environment.
const maxEnviron = 1 << 20

// environ returns the environment that a process was started with, nil if it
// has none or hides it.
func environ(pid int) []byte {
	path := "/proc/" + strconv.Itoa(pid) + "/environ"
	env, err := readProc(path, make([]byte, 16<<10))
	if err == nil && len(env) == cap(env) {
		env, err = readProc(path, make([]byte, maxEnviron))
	}
	if err != nil {
		return nil
	}
	return env
}

// signal sends sig to p and to nothing else: the handle is taken first, and
// only then is it looked at whose handle it is.
func (p process) signal(sig syscall.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if !p.is() {
		return
	}
	if err == nil {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, or a filter of system calls
		_ = unix.Kill(p.pid, sig)
	}
}

// newest is the pid that was given out last.
func newest() int {
	var buf [128]byte
	line, err := readProc("/proc/loadavg", buf[:])
	if err != nil {
		return 0
	}
	f := bytes.Fields(line)
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(f[len(f)-1]))
	return n
}
