package record_test

import (
	"fmt"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/task"
)

// long is a journal of n lines, in one of two shapes: round after round, or one
// round in which the target is held again and again.
func long(t testing.TB, where string, n int, holds bool) {
	t.Helper()
	s := openStore(t, where)
	c := claim(t, "t1")
	c.Policy.MaxRounds, c.Policy.MaxTries, c.Policy.WallClock, c.Policy.Cost, c.Policy.DailyCost = n, n, 1<<60, 1<<50, 1<<50
	j, err := s.Begin("t1", noon, c)
	must(t, err)
	p := &player{store: s, journal: j, now: noon}
	for range n {
		p.tries = append(p.tries, unsound)
	}
	state := j.State()
	for len(j.Lines()) < n {
		if state, err = round.Play(struct{}{}, state, quick{p}); holds && len(j.Lines()) > 3 {
			must(t, j.Append(noon, hold(t, j.State())...))
			state = j.State()
		}
		must(t, err)
	}
}

// hold is a try that found its target without capacity, and the wait after it.
func hold(t testing.TB, s round.State) []round.Event {
	t.Helper()
	p := &player{tries: make([]string, s.Tries+1), now: noon, bare: true}
	p.tries[s.Tries] = limited
	facts, _ := p.Facts(struct{}{}, s)
	start := round.Event{Kind: round.Start, Facts: &facts}
	try, err := p.Generate(struct{}{}, s.Apply(start))
	must(t, err)
	return []round.Event{
		start, {Kind: round.Generate, Try: &try},
		{Kind: round.Decide, Facts: &facts, Decision: &round.Decision{Kind: task.Held, Reason: task.BreakerOpen, Rule: "overloaded", After: round.Start, NotBefore: noon, Advice: task.TryLater}},
		{Kind: round.Wait, Facts: &facts},
	}
}

// quick is a player that renders nothing.
type quick struct{ *player }

func (q quick) Record(_ struct{}, events ...round.Event) error {
	return q.journal.Append(q.now, events...)
}

// A journal of 1,000 events is to be read and folded in 20 ms.
func BenchmarkReplay(b *testing.B) {
	for _, holds := range []bool{false, true} {
		for _, n := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("lines=%d/holds=%v", n, holds), func(b *testing.B) {
				where := place(b)
				long(b, where, n, holds)
				data := readFile(b, where, journalPath("t1"))
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, _, _, err := record.Parse(data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	seam := &fsxtest.Recorder{}
	s := openStore(b, b.TempDir(), seam)
	j := begin(b, s, "t1")
	seam.Reset()
	n := 0
	for b.Loop() {
		must(b, j.Append(noon, verdict()[0]))
		n++
	}
	b.ReportMetric(float64(seam.Syncs())/float64(n), "fsyncs/op")
	b.ReportMetric(float64(seam.Count(fsx.OpWrite))/float64(n), "writes/op")
}

// A whole task of one round, as far as its records go.
func BenchmarkTask(b *testing.B) {
	for name, dir := range map[string]func() string{"disk": b.TempDir, "memory": func() string { return place(b) }} {
		b.Run(name, func(b *testing.B) {
			seam := &fsxtest.Recorder{}
			s := openStore(b, dir(), seam)
			seam.Reset()
			n := 0
			for b.Loop() {
				runTask(b, s, fmt.Sprint("t", n), passes)
				n++
			}
			b.ReportMetric(float64(seam.Syncs())/float64(n), "fsyncs/op")
			b.ReportMetric(float64(seam.Count())/float64(n), "changes/op")
		})
	}
}

// What every start looks at, with 10,000 tasks that have ended: their names.
func BenchmarkStart(b *testing.B) {
	where := place(b)
	s := openStore(b, where)
	must(b, runTask(b, s, "done", passes).Close())
	journal, result := string(readFile(b, where, journalPath("done"))), string(readFile(b, where, "results/done.json"))
	for i := range 10_000 {
		id := fmt.Sprintf("t%05d", i)
		must(b, fsx.Scratch(where).MkdirAll("tasks/"+id))
		writeFile(b, journal, where, journalPath(id))
		writeFile(b, result, where, "results", id+".json")
	}
	must(b, begin(b, s, "open").Close(), s.Leave())
	b.Run("Active", func(b *testing.B) {
		for b.Loop() {
			if ids, err := s.Active(); err != nil || len(ids) != 1 {
				b.Fatal(ids, err)
			}
		}
	})
	b.Run("Recover", func(b *testing.B) {
		for b.Loop() {
			if r, err := s.Recover(); err != nil || len(r) > 0 {
				b.Fatal(r, err)
			}
		}
	})
}
