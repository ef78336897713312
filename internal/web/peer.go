package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// Other users of this machine reach loopback too, and the records are their
// owner's alone. Where the system tells whose process is at the other end of a
// connection, only that of ours is answered, and that of root.

type peerKey struct{}

// withPeer keeps with a connection whether it may come from us.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, foreign(c))
}

// stranger reports a request of another user of this machine.
func stranger(r *http.Request) bool {
	is, _ := r.Context().Value(peerKey{}).(bool)
	return is
}

// foreign reports a connection over loopback whose other end belongs to another
// user. What can't be found out is not held against anybody.
func foreign(c net.Conn) bool {
	peer, err1 := netip.ParseAddrPort(c.RemoteAddr().String())
	here, err2 := netip.ParseAddrPort(c.LocalAddr().String())
	if err1 != nil || err2 != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		uid, found := ownerOf(f, peer.Port(), here.Port())
		f.Close()
		if found {
			return uid != 0 && uid != os.Getuid()
		}
	}
	return false
}

// ownerOf looks in the kernel's table of connections for the one from a local
// port to another, and gives the user it belongs to.
func ownerOf(table io.Reader, from, to uint16) (uid int, found bool) {
	for lines := bufio.NewScanner(table); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) < 8 || portOf(f[1]) != int(from) || portOf(f[2]) != int(to) {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		return uid, err == nil && uid >= 0
	}
	return 0, false
}

// portOf is the port of an address as the table has it, -1 where there is none.
func portOf(text string) int {
	_, port, _ := strings.Cut(text, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}
