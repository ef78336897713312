package child

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock refuses TCP as such. UDP, raw sockets and TCP under another name go
// past it, so that a filter of system calls lets no other sockets be made than
// those of the machine itself. io_uring could make them unseen.

// auditArch is what the kernel calls the machine that this program is for, 0
// where the filter is not written for it.
var auditArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}[runtime.GOARCH]

// ClosesNetwork reports whether NoNetwork can hold on this kind of machine.
func ClosesNetwork() bool { return auditArch != 0 }

const (
	// The parts of what a filter looks at: the number of the call, the machine
	// that it is made for, and its first argument.
	callNumber, callArch, callArgument = 0, 4, 16

	// x32 marks calls in a third form that one kind of machine has.
	x32 = 0x40000000

	denied   = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	unknown  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	harmless = unix.SECCOMP_RET_ALLOW
)

// closeNetwork confines the calling thread and what it starts.
func closeNetwork() error {
	if !ClosesNetwork() {
		return errors.New("this kind of machine is not known")
	}
	program := networkFilter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// networkFilter answers calls for another machine than this one as unknown:
// their numbers mean something else.
func networkFilter() []unix.SockFilter {
	return []unix.SockFilter{
		load(callArch),
		equal(auditArch, 1, 0),
		answer(unknown),
		load(callNumber),
		atLeast(x32, 0, 1),
		answer(unknown),
		equal(unix.SYS_IO_URING_SETUP, 0, 1),
		answer(unknown),
		equal(unix.SYS_SOCKET, 1, 0),
		answer(harmless),
		load(callArgument),
		equal(unix.AF_UNIX, 1, 0),
		equal(unix.AF_NETLINK, 0, 1), // by which programs ask for the addresses of the machine
		answer(harmless),
		answer(denied),
	}
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// equal and atLeast skip so many instructions where it holds, and where not.
func equal(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func atLeast(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func answer(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
