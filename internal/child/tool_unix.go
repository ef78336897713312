//go:build linux || darwin

package child

import (
	"os"
	"syscall"
)

func toolAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endTool asks the group of a tool to end, or makes it.
func endTool(p *os.Process, now bool) {
	sig := syscall.SIGTERM
	if now {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, sig) // it may just have ended
}
