package child

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// self is this program, also for a process that has just been forked from it.
const self = "/proc/self/exe"

// A program that can start others must be its own launcher whatever it is, also
// the binary of a test: one that did not know the verb would run itself in place
// of the command, without an end. It is looked at before the packages above are
// initialized, which the command would have to wait for.
func init() {
	if len(os.Args) < 2 || os.Args[1] != sandboxVerb {
		return
	}
	err := launch(os.Args[2:])
	if err == nil {
		syscall.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "%s%v\n", refusal, err)
	if errors.Is(err, syscall.ENOENT) {
		syscall.Exit(codeNotFound)
	}
	syscall.Exit(codeNotExecutable)
}

// Landlock is the version that a Sandbox can have here, 0 where the kernel has
// none or lets nobody use it. It was tried out, not only asked for.
var Landlock = sync.OnceValue(func() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	s := Sandbox{ABI: min(int(abi), BestABI)}
	tried := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		tried <- s.restrict()
	}()
	if err := <-tried; err != nil {
		return 0
	}
	return s.ABI
})

// launch confines this process and becomes the command. It returns with the
// reason why it could not, or nil where there is none.
func launch(args []string) error {
	s, argv, err := parseSandbox(args)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // what follows holds for one thread, and for what it becomes
	if err := s.mount(); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	if err := s.restrict(); err != nil {
		return err
	}
	if argv[0] == noCommand {
		return nil
	}
	// Whoever started looprun may have left it files open: what is open already is
	// out of Landlock's hands.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close descriptors: %w", err)
	}
	err = syscall.Exec(argv[0], argv, os.Environ())
	if errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("start %q: %w: it, or what its first line names, is out of reach unless sandbox.read names the folder", argv[0], err)
	}
	return fmt.Errorf("start %q: %w", argv[0], err)
}

// parseSandbox is the counterpart of Wrap.
func parseSandbox(args []string) (s Sandbox, argv []string, err error) {
	for i, word := range args {
		key, value, _ := strings.Cut(word, "=")
		switch key + "=" {
		case abiWord:
			if s.ABI, err = strconv.Atoi(value); err != nil {
				return s, nil, fmt.Errorf("version %q: %w", value, err)
			}
		case readWord:
			s.Read = append(s.Read, value)
		case writeWord:
			s.Write = append(s.Write, value)
		case fixedWord:
			s.Fixed = append(s.Fixed, value)
		case hiddenWord:
			s.Hidden = append(s.Hidden, value)
		default:
			switch {
			case word == noNetwork:
				s.NoNetwork = true
			case word == commandMark && i+1 < len(args) && s.ABI > 0:
				return s, args[i+1:], nil
			default:
				return s, nil, fmt.Errorf("%q is not understood", word)
			}
		}
	}
	return s, nil, errors.New("no command given")
}

// Landlock is called here through the kernel's own three calls. go-landlock adds
// next to nothing to size and start, but would save no code: it opens the paths of
// rules through links, which Write must not be; it passes over a path that is
// missing, not one that nobody may look at; and its way to confine is for all
// threads of a program that goes on, while Landlock here is tried out on one. What
// remains, opening each path and choosing its rights, is most of what stands below.

// restrict confines the calling thread for good, and whatever it starts.
func (s Sandbox) restrict() error {
	if s.ABI < FilesABI || s.ABI > BestABI || s.NoNetwork && s.ABI < NetworkABI {
		return fmt.Errorf("version %d of landlock cannot hold it", s.ABI)
	}
	rules, err := s.ruleset()
	if err != nil {
		return err
	}
	defer unix.Close(rules)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	if s.NoNetwork {
		if err := closeNetwork(); err != nil {
			return fmt.Errorf("close the network: %w", err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return fmt.Errorf("enforce landlock: %w", errno)
	}
	return nil
}

// ruleset makes the rules of s. All that is not allowed by one is refused.
func (s Sandbox) ruleset() (int, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: s.rights()}
	if s.NoNetwork {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if s.ABI >= SignalsABI {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, fmt.Errorf("version %d of landlock: %w", s.ABI, errno)
	}
	rules := int(fd)
	for _, path := range s.Read {
		if err := s.allow(rules, path, readRights, 0); err != nil {
			return -1, errors.Join(err, unix.Close(rules))
		}
	}
	for _, path := range devices {
		if err := s.allow(rules, path, writeRights|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, 0); err != nil {
			return -1, errors.Join(err, unix.Close(rules))
		}
	}
	for _, path := range s.Write {
		if err := s.allow(rules, path, writeRights, unix.RESOLVE_NO_SYMLINKS); err != nil {
			return -1, errors.Join(err, unix.Close(rules))
		}
	}
	return rules, nil
}

// devices are without contents of their own, or belong to whoever opens them.
// Programs of all kinds break without them.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm",
}

const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// Renaming and linking from one folder to another is a right of its own:
	// git and build tools break without it.
	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	// fileRights are those that a rule for a single file may have.
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// rights are all those of files that the version knows.
func (s Sandbox) rights() uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_TRUNCATE)<<1 - 1
	if s.ABI >= ioctlABI {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// allow adds a rule for a path. One that is not there, or that nobody may
// look at, needs none.
func (s Sandbox) allow(rules int, path string, rights, resolve uint64) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EACCES):
		return nil
	case err != nil:
		return fmt.Errorf("allow %q: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("allow %q: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & s.rights(), Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("allow %q: %w", path, errno)
	}
	return nil
}

// dropCapabilities takes what root may do beyond its files. With them the
// environment of looprun could be read through /proc in spite of Landlock.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}
