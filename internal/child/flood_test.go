//go:build linux || darwin

package child

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

var flood = flag.Int64("flood", 48, "megabytes of output in the tests of large output")

func init() {
	// flood writes one line of some megabytes to each of stdout and stderr,
	// then a normal line.
	fakes["flood"] = func(args []string) {
		size := must(strconv.ParseInt(args[0], 10, 64)) << 20
		block := bytes.Repeat([]byte("0123456789abcde "), 1<<12)
		for size > 0 {
			n := must(os.Stdout.Write(block))
			must(os.Stderr.Write(block[:len(block)/2]))
			size -= int64(n)
		}
		fmt.Print("\nthe end\n")
	}
}

// A line without end, gigabytes in all: the child is never held up, memory
// stays the same, and the log has head and tail.
func TestFlood(t *testing.T) {
	c := Cmd{Argv: fake("flood", fmt.Sprint(*flood)), RunID: unique(t), Keep: 1000, MaxOutput: 8 << 20}
	c.Stdout, c.Stderr, c.Redact = logIn(t), logIn(t), []string{"correct horse battery staple"}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	res := mustRun(t, c)
	runtime.ReadMemStats(&after)

	if res.Ended != Exit || res.ExitCode != 0 || !res.Stdout.Truncated || res.Stdout.Total != *flood<<20+9 {
		t.Errorf("Run = %s, %d, %d bytes; want exit, 0, %d bytes", res.Ended, res.ExitCode, res.Stdout.Total, *flood<<20+9)
	}
	if got := string(res.Stdout.Tail); !strings.HasSuffix(got, "\nthe end\n") || len(got) != 500 {
		t.Errorf("Tail = %q; want 500 bytes up to the end", got)
	}
	for _, s := range []struct {
		path string
		Stream
	}{{c.Stdout, res.Stdout}, {c.Stderr, res.Stderr}} {
		sum, size := sumOf(t, s.path)
		if s.Bytes != size || s.SHA256 != sum || size < 8<<20 || size > 8<<20+100 {
			t.Errorf("log of %d bytes, %s; Stream = %d, %s; want 8 MiB", size, sum, s.Bytes, s.SHA256)
		}
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 12<<20 {
		t.Errorf("%d bytes allocated for %d MB of output; want at most two tails of 4 MiB and little more", grown, *flood)
	}
	if grown := after.Sys - before.Sys; grown > 24<<20 {
		t.Errorf("memory grew by %d bytes; want it small", grown)
	}
}

func sumOf(t *testing.T, path string) (string, int64) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil)), n
}

// A child that talks for ever is ended by the time, not by its output.
func TestAFloodEndsByTheTime(t *testing.T) {
	c := shell("cat /dev/zero")
	c.RunID, c.Wall, c.MaxOutput, c.Keep = unique(t), 150*time.Millisecond, 1000, 10
	res := mustRun(t, c)
	if res.Ended != Timeout || res.Stdout.Total < 1<<20 {
		t.Errorf("Run = %s after %d bytes; want timeout after many", res.Ended, res.Stdout.Total)
	}
	c.MaxOutput, c.Wall = 1<<30, 0
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if res, err := Run(ctx, c); res.Ended != Interrupted || err != nil {
		t.Errorf("Run = %s, %v; want interrupted", res.Ended, err)
	}
}
