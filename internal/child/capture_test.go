//go:build linux || darwin

package child

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLogs(t *testing.T) {
	all := make([]byte, 0, 256*40)
	for range 40 {
		for b := range 256 {
			all = append(all, byte(b))
		}
	}
	dir := t.TempDir()
	c := shell("cat; echo oops >&2")
	c.Stdin, c.RunID = all, unique(t)
	c.Stdout, c.Stderr, c.Keep = filepath.Join(dir, "out"), filepath.Join(dir, "err"), 100
	res := mustRun(t, c)
	checkLog(t, c.Stdout, res.Stdout, all)
	checkLog(t, c.Stderr, res.Stderr, []byte("oops\n"))
	if got, want := res.Stdout.Head, all[:50]; !bytes.Equal(got, want) {
		t.Errorf("Head = %q; want %q", got, want)
	}
	if got, want := res.Stdout.Tail, all[len(all)-50:]; !bytes.Equal(got, want) {
		t.Errorf("Tail = %q; want %q", got, want)
	}
	if res.Stdout.Truncated || res.Stdout.Total != int64(len(all)) || time.Since(res.Stdout.LastWrite) > time.Minute {
		t.Errorf("Stdout = %+v", res.Stdout)
	}
	info, err := os.Stat(c.Stdout)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
}

func checkLog(t *testing.T, path string, s Stream, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes %.60q; want %d bytes %.60q", path, len(got), got, len(want), want)
	}
	sum := sha256.Sum256(got)
	if s.Bytes != int64(len(got)) || s.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("Bytes, SHA256 = %d, %s; want %d, %x", s.Bytes, s.SHA256, len(got), sum)
	}
}

func TestLongOutputIsCut(t *testing.T) {
	c := shell("i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i+1)); done")
	c.Stdout, c.MaxOutput, c.RunID = logIn(t), 100, unique(t)
	res := mustRun(t, c)
	var full bytes.Buffer
	for i := range 1000 {
		fmt.Fprintln(&full, "line", i)
	}
	b := full.Bytes()
	marker := fmt.Sprintf("\n[looprun: %d bytes left out]\n", len(b)-100)
	checkLog(t, c.Stdout, res.Stdout, slices.Concat(b[:50], []byte(marker), b[len(b)-50:]))
	if !res.Stdout.Truncated || res.Stdout.Total != int64(len(b)) {
		t.Errorf("Stdout = %+v; want it truncated, of %d bytes", res.Stdout, len(b))
	}
	if !bytes.Equal(slices.Concat(res.Stdout.Head, res.Stdout.Tail), b) {
		t.Error("Head and Tail are not the whole stream, although Keep was enough")
	}
}

func TestSecretsReachNeitherDiskNorMemory(t *testing.T) {
	c := shell("printf 'a correct '; sleep 0.05; printf 'horse b\n'; echo correct horse >&2")
	c.Redact, c.Stdout, c.Stderr, c.RunID = []string{"correct horse"}, logIn(t), logIn(t), unique(t)
	res := mustRun(t, c)
	checkLog(t, c.Stdout, res.Stdout, []byte("a [redacted] b\n"))
	checkLog(t, c.Stderr, res.Stderr, []byte("[redacted]\n"))
	if got := string(res.Stdout.Head) + string(res.Stderr.Head); strings.Contains(got, "horse") {
		t.Errorf("kept %q", got)
	}
}

// A disk that is full must not stop the child, and must not go unnoticed.
func TestAFullDiskIsAnErrorBesideTheResult(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	c := shell("echo some; echo more; exit 5")
	c.Stdout, c.RunID = "/dev/full", unique(t)
	res, err := Run(t.Context(), c)
	if res.Ended != Exit || res.ExitCode != 5 || !res.Stdout.Truncated {
		t.Errorf("Run = %+v; want exit 5, truncated", res)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("err = %v; want ENOSPC", err)
	}
}

// A process that is not of the run may hold the pipe for ever. What it wrote up
// to the end counts, and is not waited for.
func TestAStrangerHoldsThePipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	held, err := syscall.Dup(int(p.theirs.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(p.theirs, "the last words")
	var got []byte
	p.begin(func(b []byte) {
		got = append(got, b...)
		w.Close()
	})
	io.ReadAll(r) // the reader has begun, and waits again
	syscall.Write(held, []byte(" and more"))
	p.stop()
	if string(got) != "the last words and more" || p.released {
		t.Errorf("read %q, released %v; want all, false", got, p.released)
	}
	syscall.Close(held)
}
