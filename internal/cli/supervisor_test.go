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
	s := &supervisor{socket: path, every: time.Hour}
	for _, want := range []string{ready, alive, stopping} {
		if want == alive {
			s.alive()
			s.alive() // too soon for another
		} else {
			s.tell(want)
		}
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
		(&supervisor{socket: socket}).tell(ready)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("tell to %q took %s", socket, took)
		}
	}
}

func TestSignsOfLifeAreGivenTwiceAsOftenAsTheyAreAskedFor(t *testing.T) {
	tests := map[string]struct {
		env  map[string]string
		want time.Duration
	}{
		"nobody asks":              {nil, 0},
		"every ten seconds":        {map[string]string{"WATCHDOG_USEC": "10000000"}, 5 * time.Second},
		"of this process":          {map[string]string{"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"}, 5 * time.Second},
		"of another process":       {map[string]string{"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"}, 0},
		"a time that is no number": {map[string]string{"WATCHDOG_USEC": "soon"}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := supervisedBy(func(key string) string { return test.env[key] }, 7).every; got != test.want {
				t.Errorf("every = %v; want %v", got, test.want)
			}
		})
	}
}
