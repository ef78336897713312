//go:build linux

package faults

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the fields of the data stand that a filter looks at; the low half of
// an argument comes first on the machines that Go runs on but for s390x, where
// no filter is set.
const (
	atNumber   = 0
	atMachine  = 4
	atArgument = 16
)

// filter is the program that lets all calls pass but those that may change a
// file. What is written to standard output and error is no file of ours.
func filter() []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	end := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what} }
	pass, ask := end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_USER_NOTIF)
	program := []unix.SockFilter{load(atMachine), jump(unix.BPF_JEQ, machine(), 1, 0), pass, load(atNumber)}
	for number, c := range calls {
		switch {
		case c.flags > 0:
			const makes = unix.O_CREAT | unix.O_TRUNC
			program = append(program, jump(unix.BPF_JEQ, uint32(number), 0, 4),
				load(atArgument+8*uint32(c.flags)), jump(unix.BPF_JSET, makes, 0, 1), ask, pass)
		case c.file && c.fd == 0:
			program = append(program, jump(unix.BPF_JEQ, uint32(number), 0, 4),
				load(atArgument), jump(unix.BPF_JGT, uint32(unix.Stderr), 0, 1), ask, pass)
		default:
			program = append(program, jump(unix.BPF_JEQ, uint32(number), 0, 1), ask)
		}
	}
	return append(program, pass)
}

// machine is what the kernel calls the kind of the processor; 0 where this
// package knows no calls.
func machine() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// install sets the filter for this thread and all that it starts, and gives the
// file that asks.
func install() (int, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	program := filter()
	list := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Without the second flag a signal of Go's own scheduler would make a call
	// come twice.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&list)))
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}
