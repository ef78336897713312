package cli

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

func TestASupervisorIsToldByDatagram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skip("no datagrams between processes here:", err)
	}
	defer conn.Close()
	s := supervisor{socket: path}
	for _, want := range []string{ready, stopping} {
		s.tell(want)
		var buf [64]byte
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, err := conn.Read(buf[:])
		if got := string(buf[:n]); got != want || err != nil {
			t.Errorf("told %q, %v; want %q", got, err, want)
		}
	}
}

func TestNobodyHasToListen(t *testing.T) {
	for _, socket := range []string{"", filepath.Join(t.TempDir(), "none"), "@looprun-nobody"} {
		begun := time.Now()
		supervisor{socket: socket}.tell(ready)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("tell to %q took %s", socket, took)
		}
	}
}
