//go:build linux || darwin

package child

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// The benchmarks measure against plain os/exec in the same run: the figure that
// holds on any machine is the ratio.

func BenchmarkRun(b *testing.B) {
	for _, level := range []string{"", Subreaper, Group} {
		c := Cmd{Argv: []string{"/bin/true"}, RunID: "bench", level: level}
		name := level
		if level == "" {
			name = "best"
		}
		b.Run(name, func(b *testing.B) {
			compare(b, func() error {
				_, err := Run(b.Context(), c)
				return err
			})
		})
	}
}

func BenchmarkOutput(b *testing.B) {
	compare(b, func() error {
		_, _, err := Output(b.Context(), Cmd{Argv: []string{"/bin/true"}})
		return err
	})
}

// compare runs ours and os/exec in turn and reports both CPU and wall time.
func compare(b *testing.B, ours func() error) {
	var wall, cpu [2]time.Duration
	both := [2]func() error{ours, func() error {
		var out, errOut bytes.Buffer
		cmd := exec.Command("/bin/true")
		cmd.Stdout, cmd.Stderr = &out, &errOut
		return cmd.Run()
	}}
	for b.Loop() {
		for i, f := range both {
			w, c := time.Now(), cpuTime()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			wall[i] += time.Since(w)
			cpu[i] += cpuTime() - c
		}
	}
	n := time.Duration(b.N)
	b.ReportMetric(float64(wall[0])/float64(wall[1]), "wall-ratio")
	b.ReportMetric(float64(cpu[0])/float64(cpu[1]), "cpu-ratio")
	b.ReportMetric(float64((cpu[0]-cpu[1])/n)/1e3, "cpu-extra-µs/op")
	b.ReportMetric(float64((wall[0]-wall[1])/n)/1e3, "wall-extra-µs/op")
}

// BenchmarkThroughput measures against cat into a file.
func BenchmarkThroughput(b *testing.B) {
	const size = 1 << 30
	dir := b.TempDir()
	source := `head -c 1073741824 /dev/zero | tr '\000' 'x'`
	var took [2]time.Duration
	for b.Loop() {
		c := shell(source)
		c.Stdout, c.RunID, c.Redact = filepath.Join(dir, "log"), "bench", []string{"correct horse battery staple"}
		start := time.Now()
		if _, err := Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		took[0] += time.Since(start)
		start = time.Now()
		if err := exec.Command("sh", "-c", source+" | cat > "+filepath.Join(dir, "cat")).Run(); err != nil {
			b.Fatal(err)
		}
		took[1] += time.Since(start)
		os.Remove(filepath.Join(dir, "cat"))
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "of-cat")
	b.SetBytes(size)
}

func BenchmarkRedactor(b *testing.B) {
	text, err := os.ReadFile("redactor.go")
	if err != nil {
		b.Fatal(err)
	}
	text = bytes.Repeat(text, 1<<20/len(text))
	var values []string
	for i := range 20 {
		values = append(values, "value of a secret number "+string(rune('a'+i)))
	}
	r := newRedactor(redactionOf(values), func([]byte) {})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for piece := range slices.Chunk(text, block) {
			r.write(piece)
		}
	}
}

// cpuTime is what this process and those it has waited for have used.
func cpuTime() (d time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			d += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return d
}
