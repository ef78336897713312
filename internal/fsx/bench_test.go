package fsx_test

import (
	"fmt"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

func benchmark(b *testing.B, do func(i int, from, to *fsx.Dir) error) {
	b.Helper()
	r := &fsxtest.Recorder{}
	from, err := fsx.Open(b.TempDir(), r)
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	if err := from.Mkdir("to"); err != nil {
		b.Fatal(err)
	}
	to, err := from.Sub("to")
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	r.Reset()
	i := 0
	for b.Loop() {
		if err := do(i, from, to); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(r.Syncs())/float64(i), "fsyncs/op")
	b.ReportMetric(float64(r.Count())/float64(i), "changes/op")
}

var line = []byte("{\"a\": \"line of a journal as it may look\"}\n")

func BenchmarkCreate(b *testing.B) {
	benchmark(b, func(i int, d, _ *fsx.Dir) error { return d.Create(fmt.Sprint(i), line) })
}

func BenchmarkReplace(b *testing.B) {
	benchmark(b, func(_ int, d, _ *fsx.Dir) error { return d.Replace("file", line) })
}

func BenchmarkView(b *testing.B) {
	benchmark(b, func(_ int, d, _ *fsx.Dir) error { return d.View("file", line) })
}

func BenchmarkViewAndMove(b *testing.B) {
	benchmark(b, func(i int, d, to *fsx.Dir) error {
		name := fmt.Sprint(i)
		if err := d.View(name, line); err != nil {
			return err
		}
		return d.Move(name, to, name)
	})
}

func BenchmarkLog(b *testing.B) {
	var l *fsx.Log
	benchmark(b, func(i int, d, _ *fsx.Dir) (err error) {
		if l == nil {
			if l, err = d.Append("log"); err != nil {
				return err
			}
		}
		return l.Write(line)
	})
	l.Close()
}
