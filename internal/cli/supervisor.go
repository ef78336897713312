package cli

import (
	"context"
	"net"
	"strconv"
	"time"
)

// A supervisor is a service manager that waits to hear how its service is, by
// the protocol of sd_notify(3): a datagram to the socket that NOTIFY_SOCKET
// names. Without one nothing is told.
type supervisor struct {
	socket string
	every  time.Duration // how often it wants a sign of life; 0 is never
	told   time.Time     // when it had the last
}

// What a supervisor is told.
const (
	ready    = "READY=1"
	stopping = "STOPPING=1"
	alive    = "WATCHDOG=1"
)

// supervisedBy reads what a service manager left in the environment of process
// pid. Half of the time after which it would give a service up is between two
// signs of life, as sd_watchdog_enabled(3) asks for.
func supervisedBy(getenv func(string) string, pid int) *supervisor {
	s := &supervisor{socket: getenv("NOTIFY_SOCKET")}
	usec, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	whose := getenv("WATCHDOG_PID")
	if err == nil && usec > 0 && (whose == "" || whose == strconv.Itoa(pid)) {
		s.every = time.Duration(usec) * time.Microsecond / 2
	}
	return s
}

// alive gives a sign of life if one is due. It is called about once a second,
// so a manager with less patience than two seconds can't be kept content.
func (s *supervisor) alive() {
	now := time.Now()
	if s.every == 0 || now.Sub(s.told) < s.every-time.Second {
		return
	}
	s.told = now
	s.tell(alive)
}

// stopsWith tells that the service stops as soon as ctx is done. What it
// returns waits until that was said, for the process may end at once.
func (s *supervisor) stopsWith(ctx context.Context) (said func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		s.tell(stopping)
	})
	return func() {
		if !stop() {
			<-done
		}
	}
}

// tell is best effort: a service that can't reach its manager still works.
func (s *supervisor) tell(state string) {
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
