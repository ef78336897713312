package child

import (
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// OwnMounts reports whether Fixed and Hidden hold here. Systems may keep those
// who are not root from having mounts of their own: it is tried out.
var OwnMounts = sync.OnceValue(func() bool {
	if Landlock() < FilesABI {
		return false
	}
	s := Sandbox{ABI: Landlock(), Read: []string{"/"}, Fixed: []string{"/proc"}, Hidden: []string{"/sys"}}
	wrap := s.Wrap()
	attr := &os.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{}}
	ownMounts(attr.Sys)
	p, err := os.StartProcess(wrap[0], append(wrap, noCommand), attr)
	if err != nil {
		return false
	}
	state, err := p.Wait()
	return err == nil && state.Success()
})

// ownMounts starts a process with mounts that it can change without changing
// anybody else's, as the same user.
func ownMounts(a *syscall.SysProcAttr) {
	a.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	a.AmbientCaps = append(a.AmbientCaps, unix.CAP_SYS_ADMIN) // only root's outlast the start of the launcher
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
}

// mount puts the fixed paths over themselves, so that they can be neither
// written nor moved away, and nothing over the hidden ones. Landlock, which
// comes after it, keeps the command from changing any mount.
func (s Sandbox) mount() error {
	if len(s.Fixed)+len(s.Hidden) == 0 {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	for _, path := range s.Fixed {
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("fix %q: %w", path, err)
		}
		readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &readOnly); err != nil {
			return fmt.Errorf("fix %q: %w", path, err)
		}
	}
	for _, path := range s.Hidden {
		if err := unix.Mount("none", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "size=4k"); err != nil {
			return fmt.Errorf("hide %q: %w", path, err)
		}
	}
	return nil
}
