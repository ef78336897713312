package cli

import (
	"net"
	"time"
)

// A supervisor is a service manager that waits to hear how its service is, by
// the protocol of sd_notify(3): a datagram to the socket that NOTIFY_SOCKET
// names. Without one nothing is told.
type supervisor struct{ socket string }

// What a supervisor is told.
const (
	ready    = "READY=1"
	stopping = "STOPPING=1"
)

// tell is best effort: a service that can't reach its manager still works.
func (s supervisor) tell(state string) {
	if s.socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.socket, Net: "unixgram"})
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte(state))
}
