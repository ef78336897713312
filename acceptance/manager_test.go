//go:build unix

package acceptance

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// managerMain is a service manager: it starts the command of its arguments as a
// service that is to say when it is ready and that it lives, prints what it is
// told, ends the service after the first sign of life, and prints how it ended.
func managerMain() {
	dir, err := os.MkdirTemp("", "manager-")
	check(err)
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "notify")
	told, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	check(err)
	check(told.SetReadDeadline(time.Now().Add(30 * time.Second)))
	service := exec.Command(os.Args[1], os.Args[2:]...)
	service.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=2000000")
	service.Stderr = os.Stderr
	check(service.Start())
	for last := ""; last != "STOPPING=1"; {
		var buf [256]byte
		n, err := told.Read(buf[:])
		check(err)
		if last == string(buf[:n]) {
			continue
		}
		last = string(buf[:n])
		fmt.Println(last)
		if last == "WATCHDOG=1" {
			check(service.Process.Signal(syscall.SIGTERM))
		}
	}
	_ = service.Wait()
	fmt.Println("ended with", service.ProcessState.ExitCode())
}
