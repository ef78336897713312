//go:build unix

package queue_test

import (
	"errors"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"looprun.dev/looprun/internal/queue"
)

func mkfifo(p place, name string) { p.must(unix.Mkfifo(p.Path(name), 0o600)) }

func link(p place, name, to string) { p.must(os.Link(p.Path(name), p.Path(to))) }

func TestWhatIsNoFileIsLeftAndNamedOnce(t *testing.T) {
	tests := map[string]struct {
		make func(p place, name string)
		want string
	}{
		"41 a link to a good file":    {func(p place, n string) { p.put("t.json", body("x")); p.must(p.Symlink("../t.json", n)) }, queue.WarnNotRegular},
		"41 a link to another task":   {func(p place, n string) { p.put("done/y.json", body("y")); p.must(p.Symlink("../done/y.json", n)) }, queue.WarnNotRegular},
		"41 a dangling link":          {func(p place, n string) { p.must(p.Symlink("nowhere", n)) }, queue.WarnNotRegular},
		"41 a link to itself":         {func(p place, n string) { p.must(p.Symlink("x.json", n)) }, queue.WarnNotRegular},
		"41 a link out of the tree":   {func(p place, n string) { p.must(p.Symlink("/etc/passwd", n)) }, queue.WarnNotRegular},
		"42 a pipe":                   {mkfifo, queue.WarnNotRegular},
		"43 a socket":                 {func(p place, n string) { listen(p, n) }, queue.WarnNotRegular},
		"44 a directory":              {func(p place, n string) { p.must(p.MkdirAll(n)) }, queue.WarnNotRegular},
		"45 a file with another name": {func(p place, n string) { p.put("t.json", body("x")); link(p, "t.json", n) }, queue.WarnOtherName},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			test.make(p, "inbox/x.json")
			before := p.files()
			q := p.open()
			wantScan(t, q, noon, test.want+" x.json")
			wantScan(t, q, noon, "")
			var stuck *queue.Stuck
			if _, err := q.Claim("x.json"); !errors.As(err, &stuck) {
				t.Errorf("Claim = %v; want a Stuck", err)
			}
			if _, err := q.Recover(); err != nil {
				t.Errorf("Recover = %v", err)
			}
			p.wantFiles(before)
		})
	}
}

// listen makes a socket. Its path may be too long for one, so it is made
// relative to the directory.
func listen(p place, name string) {
	p.t.Chdir(string(p.Scratch))
	l, err := net.Listen("unix", name)
	if err != nil {
		p.t.Skip("no sockets here:", err)
	}
	p.t.Cleanup(func() { l.Close() })
}

func TestAFileThatBecomesALinkIsNotFollowed(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("inbox/x.json", body("x"))
	wantScan(t, q, noon, "ready x")
	p.put("t.json", body("x"))
	p.must(p.Remove("inbox/x.json"), p.Symlink("../t.json", "inbox/x.json"))
	var stuck *queue.Stuck
	if _, err := q.Claim("x.json"); !errors.As(err, &stuck) {
		t.Errorf("Claim = %v; want a Stuck", err)
	}
	p.wantFiles("inbox/x.json t.json")
}

func TestAFileWhoseOtherNameGoesIsATask(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("t.json", body("x"))
	link(p, "t.json", "inbox/x.json")
	wantScan(t, q, noon, "has_another_name x.json")
	p.must(p.Remove("t.json"))
	wantScan(t, q, noon, "ready x")
}

// Who only looks may see a claim between its link and its unlink.
func TestAFileThatIsBeingMovedIsNoOddity(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/x.json", body("x"))
	link(p, "inbox/x.json", "processing/x.json")
	q, err := queue.Peek(string(p.Scratch))
	p.must(err)
	defer q.Close()
	wantScan(t, q, noon, "")
}
