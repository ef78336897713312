//go:build linux

package faults

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Supervisor sees the changes below its root.
type Supervisor struct {
	Root  string           // absolute, without links
	Order func(Call) Order // nil: all may pass

	mu    sync.Mutex
	calls []Call
	pid   int // of the program
}

// Run runs a command whose program is Launch and waits for its end. Children
// that outlive it are still supervised.
func (s *Supervisor) Run(cmd *exec.Cmd) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.pid = cmd.Process.Pid
	s.mu.Unlock()
	fd, err := receive(ours)
	if err != nil {
		return errors.Join(fmt.Errorf("start a supervised process: %w", err), cmd.Wait())
	}
	go s.serve(fd)
	return cmd.Wait()
}

// Calls are the changes that were seen, in order.
func (s *Supervisor) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// receive takes over the file that asks.
func receive(from *os.File) (int, error) {
	data, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, oob, _, _, err := unix.Recvmsg(int(from.Fd()), data, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	messages, err := unix.ParseSocketControlMessage(rights[:oob])
	if err != nil || len(messages) != 1 {
		return 0, fmt.Errorf("%d messages: %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, fmt.Errorf("%d files: %w", len(fds), err)
	}
	return fds[0], nil
}

// serve answers until nobody is left who could ask.
func (s *Supervisor) serve(fd int) {
	defer unix.Close(fd)
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(ready, -1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || ready[0].Revents&unix.POLLIN == 0:
			return
		}
		var n notice
		if ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) == nil { // else the caller was killed
			s.answer(fd, &n)
		}
	}
}

// answer lets a call pass unless there is another order for it. Who was killed
// gets no answer.
func (s *Supervisor) answer(fd int, n *notice) {
	reply := struct {
		id    uint64
		val   int64
		errno int32
		flags uint32
	}{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	pid := n.process()
	order := s.order(n, pid)
	if order.Kill {
		_ = unix.Kill(s.pid, unix.SIGKILL) // it may be dead already
		if order.Tree && pid > 0 && pid != s.pid {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	if order.Errno != 0 || order.Skip {
		reply.errno, reply.flags = -int32(order.Errno), 0
	}
	_ = ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&reply)) // the caller may be gone
}

// order notes a change below the root and asks what to do.
func (s *Supervisor) order(n *notice, pid int) Order {
	c, err := n.call()
	if err != nil || !s.below(c.Path) && !s.below(c.To) {
		return Order{}
	}
	s.mu.Lock()
	c.N, c.Main = len(s.calls)+1, pid == s.pid
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	if s.Order == nil {
		return Order{}
	}
	return s.Order(c)
}

func (s *Supervisor) below(path string) bool {
	return path == s.Root || strings.HasPrefix(path, s.Root+"/")
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return errno
		}
	}
}
