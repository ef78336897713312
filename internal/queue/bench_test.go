package queue_test

import (
	"fmt"
	"runtime"
	"testing"

	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/task"
)

func BenchmarkClaimAndFinish(b *testing.B) {
	p := newPlace(b)
	r := &fsxtest.Recorder{}
	q := p.open(r)
	r.Reset()
	n := 0
	for b.Loop() {
		b.StopTimer()
		id := fmt.Sprintf("t%d", n)
		p.put("inbox/"+id+".json", body(id))
		b.StartTimer()
		c := claim(b, q, id)
		if _, err := q.Finish(id, task.Done, c.Data); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(r.Syncs())/float64(n), "fsyncs/op")
	b.ReportMetric(float64(r.Count())/float64(n), "changes/op")
}

func BenchmarkScan(b *testing.B) {
	for _, files := range []int{1_000, 100_000} {
		p := newPlace(b)
		fill(b, p, files)
		b.Run(fmt.Sprintf("first of %d", files), func(b *testing.B) {
			q := p.open()
			for b.Loop() {
				q.Forget()
				scan(b, q, noon)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*files), "ns/file")
		})
		b.Run(fmt.Sprintf("again of %d", files), func(b *testing.B) {
			q := p.open()
			scan(b, q, noon)
			for b.Loop() {
				scan(b, q, noon)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*files), "ns/file")
			b.ReportMetric(float64(heap())/1e6, "heap-MB")
			runtime.KeepAlive(q)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
