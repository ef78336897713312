package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// bookkeeping is a pass of a store with its accounts, as the loop makes one.
type bookkeeping struct {
	t        testing.TB
	store    *record.Store
	accounts *record.Accounts
	told     []string
}

func openBooks(t testing.TB, where string, seam ...fsx.Seam) (*bookkeeping, error) {
	t.Helper()
	b := &bookkeeping{t: t}
	var err error
	if b.store, err = record.Open(where, seam...); err != nil {
		return b, err
	}
	t.Cleanup(func() { b.store.Close() })
	if _, err = b.store.Recover(); err != nil {
		return b, err
	}
	b.accounts, err = b.store.OpenAccounts(func(text string) { b.told = append(b.told, text) })
	return b, err
}

func books(t testing.TB, where string, seam ...fsx.Seam) *bookkeeping {
	t.Helper()
	b, err := openBooks(t, where, seam...)
	must(t, err)
	return b
}

// run takes a task to its end, or on to it where it was begun before.
func (b *bookkeeping) run(id string, tries ...string) {
	b.t.Helper()
	j, err := b.store.Task(id)
	if err != nil || len(j.Lines()) == 0 {
		j, err = b.store.Begin(id, noon, claim(b.t, id))
	}
	must(b.t, err)
	p := &player{store: b.store, journal: j, tries: tries, now: noon, bare: true}
	p.acked = func() { must(b.t, b.accounts.Count(j)) }
	must(b.t, p.playOn(), j.Close())
}

// step takes a task no further than to its next start.
func (b *bookkeeping) step(id string, tries ...string) {
	b.t.Helper()
	j, err := b.store.Task(id)
	if err != nil {
		j, err = b.store.Begin(id, noon, claim(b.t, id))
	}
	must(b.t, err)
	p := &player{store: b.store, journal: j, tries: tries, now: noon, bare: true}
	p.acked = func() { must(b.t, b.accounts.Count(j)) }
	_, err = round.Play(struct{}{}, j.State(), p)
	must(b.t, err, j.Close())
}

func (b *bookkeeping) leave() {
	b.t.Helper()
	must(b.t, b.accounts.Settle(), b.store.Leave(), b.store.Close())
}

// sums are both files without their marks.
func sums(t testing.TB, where string) (record.Spend, record.Metrics) {
	t.Helper()
	var s record.Spend
	var m record.Metrics
	must(t, json.Unmarshal(readFile(t, where, "spend.json"), &s), json.Unmarshal(readFile(t, where, "metrics.json"), &m))
	s.Counted, m.Counted = nil, nil
	return s, m
}

// recounted are the sums of the journals alone.
func recounted(t testing.TB, where string) (record.Spend, record.Metrics) {
	t.Helper()
	for _, name := range []string{"spend.json", "metrics.json"} {
		if err := fsx.Scratch(where).RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	books(t, where).leave()
	return sums(t, where)
}

// wantTrue compares the sums with what the journals come to.
func wantTrue(t testing.TB, where, when string) {
	t.Helper()
	s, m := sums(t, where)
	spend, metrics := recounted(t, where)
	if diff := cmp.Diff(spend, s); diff != "" {
		t.Errorf("%s: spend.json (-journals +file):\n%s", when, diff)
	}
	if diff := cmp.Diff(metrics, m); diff != "" {
		t.Errorf("%s: metrics.json (-journals +file):\n%s", when, diff)
	}
}

func TestSpendIsTheSumOfAllTries(t *testing.T) {
	where := place(t)
	b := books(t, where)
	b.run("t1", unsound, passes)
	b.run("t2", limited, passes) // a try of unknown cost
	b.leave()
	s, _ := sums(t, where)
	account := record.Account{Tries: 4, Unknown: 1, Cost: 30_000, Tokens: round.Usage{Input: 30, Output: 15}}
	s.Marks = record.Marks{}
	want := record.Spend{Schema: "looprun.spend/1", Total: account, Days: map[string]*record.Account{"2026-12-01": &account}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("spend.json (-want +got):\n%s", diff)
	}
	if got, want := books(t, where).accounts.SpentOn("t9", noon), unit.Money(30_000); got != want {
		t.Errorf("SpentOn = %s; want %s", got, want)
	}
	if got := books(t, where).accounts.SpentOn("t9", noon.Add(12*time.Hour)); got != 0 {
		t.Errorf("SpentOn the next day = %s; want nothing", got)
	}
}

func TestATaskOfSeveralPassesIsChargedOnce(t *testing.T) {
	where := place(t)
	tries := []string{unsound, limited, unsound, passes}
	for range 12 {
		b := books(t, where)
		b.step("t1", tries...)
		b.leave()
	}
	if s, _ := sums(t, where); s.Total.Tries != len(tries) {
		t.Errorf("%d tries are charged; want %d", s.Total.Tries, len(tries))
	}
	wantTrue(t, where, "after twelve passes")
}

// The sums may be far behind when looprun is killed: what they lack is added to
// them, and they are not made anew from all journals that there are.
func TestWhatWasNotCountedIsAdded(t *testing.T) {
	where := place(t)
	b := books(t, where)
	b.run("t0", passes)
	b.leave()
	file := filepath.Join(where, "spend.json")
	writeFile(t, strings.Replace(string(readFile(t, file)), `"tries": 1,`, `"tries": 1001,`, 1), file)
	cut := books(t, where)
	for id, tries := range map[string][]string{"t1": {passes}, "t2": {fails, fails}, "t3": {limited, passes}} {
		j := begin(t, cut.store, id)
		must(t, (&player{store: cut.store, journal: j, tries: tries, now: noon.Add(time.Hour)}).play(), j.Close())
	}
	must(t, cut.store.Close())
	books(t, where).leave()
	if s, _ := sums(t, where); s.Total.Tries != 1001+5 || s.Total.Cost != 50_000 {
		t.Errorf("%d tries, %s are charged; want the 1001 that there were and 5 more, 0.05", s.Total.Tries, s.Total.Cost)
	}
}

func TestMoneySetAsideIsSpentForOthers(t *testing.T) {
	a := books(t, place(t)).accounts
	if got := a.Reserve("t1", 100, noon); got != 0 {
		t.Errorf("Reserve for the first = %s; want nothing spent beside it", got)
	}
	if got := a.Reserve("t2", 50, noon); got != 100 {
		t.Errorf("Reserve for the second = %s; want what the first set aside", got)
	}
	a.Release("t1")
	if got := a.SpentOn("t3", noon); got != 50 {
		t.Errorf("SpentOn after Release = %s; want what the second set aside", got)
	}
}

func TestAPassThatCountsNothingWritesNoSums(t *testing.T) {
	where := place(t)
	b := books(t, where)
	b.run("t1", passes)
	b.leave()
	seam := &fsxtest.Recorder{}
	books(t, where, seam).leave()
	if n := seam.Count(); n > 0 {
		t.Errorf("%d changes: %v", n, seam.Ops())
	}
}

// The sums cost a task no fsync: the one at the end of the pass is for them too.
func TestSumsCostNoFsync(t *testing.T) {
	where := place(t)
	books(t, where).leave()
	with, without := &fsxtest.Recorder{}, &fsxtest.Recorder{}
	b := books(t, where, with)
	b.run("t1", unsound, passes)
	b.leave()
	bare := openStore(t, where, without)
	j, err := bare.Begin("t2", noon, claim(t, "t2"))
	must(t, err, (&player{store: bare, journal: j, tries: []string{unsound, passes}, now: noon, bare: true}).play(), bare.Leave())
	if with.Syncs() != without.Syncs() {
		t.Errorf("%d fsyncs; want the %d of a store without sums", with.Syncs(), without.Syncs())
	}
}

// tellBooks is a task left in the middle by one pass, ended by the next, with
// another beside it.
func tellBooks(b *bookkeeping) {
	b.run("t1", unsound, limited, passes)
	b.run("t2", fails, fails)
	b.leave()
}

// Killed before any change to the disk, looprun charges no try twice and
// forgets none.
func TestBudgetsHoldAcrossAKill(t *testing.T) {
	for n := 1; ; n++ {
		where := place(t)
		first := books(t, where)
		first.run("t0", passes)
		first.leave()
		crashed := fsxtest.Run(func() {
			if b, err := openBooks(t, where, fsxtest.CrashAt(n)); err == nil {
				tellBooks(b)
			}
		})
		again := books(t, where)
		again.run("t1", unsound, limited, passes, passes)
		again.run("t2", fails, fails, fails)
		again.leave()
		wantTrue(t, where, fmt.Sprintf("killed before change %d", n))
		if !crashed {
			t.Logf("%d changes", n-1)
			return
		}
	}
}

// A power cut may take every view back, or leave a part of one.
func TestBudgetsHoldAcrossAPowerCut(t *testing.T) {
	where := place(t)
	first := books(t, where)
	first.run("t0", passes)
	first.leave()
	before, err := fsxtest.ReadDisk(where)
	must(t, err)
	seam := &fsxtest.Recorder{}
	cut := books(t, where, seam)
	cut.run("t1", passes)
	cut.leave()
	n := 0
	for after, disk := range before.PowerCuts(where, seam.Ops()) {
		if n++; n%11 != 0 && after < seam.Count() {
			continue
		}
		there := place(t)
		must(t, fsx.Scratch(there).MkdirAll(""), disk.WriteTo(there))
		b := books(t, there)
		b.run("t3", passes)
		b.leave()
		wantTrue(t, there, fmt.Sprintf("a power cut after %d changes", after))
	}
	t.Logf("%d trees", n)
}

func TestADamagedSpendFileStops(t *testing.T) {
	for name, data := range map[string]string{
		"empty":            "",
		"half":             `{"schema": "looprun.spend/1", "total": {"tries": 4`,
		"an empty object":  `{}`,
		"another schema":   `{"schema": "looprun.spend/2", "total": {}, "days": {}, "counted": {}}`,
		"money owed to us": `{"schema": "looprun.spend/1", "total": {"cost_usd": "-5.00"}, "days": {}, "counted": {}}`,
		"no such day":      `{"schema": "looprun.spend/1", "total": {}, "days": {"today": {}}, "counted": {}}`,
		"a day of nothing": `{"schema": "looprun.spend/1", "total": {}, "days": {"2026-12-01": null}, "counted": {}}`,
		"a field too many": `{"schema": "looprun.spend/1", "total": {}, "days": {}, "counted": {}, "credit": 1}`,
		"a second object":  `{"schema": "looprun.spend/1", "total": {}, "days": {}, "counted": {}}{}`,
	} {
		t.Run(name, func(t *testing.T) {
			where := place(t)
			b := books(t, where)
			b.run("t1", passes)
			b.leave()
			want, _ := sums(t, where)
			writeFile(t, data, where, "spend.json")
			_, err := openBooks(t, where)
			if !errors.Is(err, record.ErrSpend) || !strings.Contains(fmt.Sprint(err), "move the file away") {
				t.Errorf("OpenAccounts = %v; want ErrSpend with what to do", err)
			}
			must(t, os.Rename(filepath.Join(where, "spend.json"), filepath.Join(where, "spend.json.bad")))
			books(t, where).leave()
			if got, _ := sums(t, where); !cmp.Equal(got, want) {
				t.Errorf("made anew = %+v; want %+v", got, want)
			}
		})
	}
}

// Where a pass was cut off, a power cut may be what damaged the file.
func TestASpendFileThatAPowerCutDamagedIsMadeAnew(t *testing.T) {
	where := place(t)
	b := books(t, where)
	b.run("t1", unsound, passes)
	must(t, b.store.Close()) // without an end
	writeFile(t, "\x00\x00\x00", where, "spend.json")
	again := books(t, where)
	again.leave()
	if len(again.told) != 1 || !strings.Contains(again.told[0], "spend.json.damaged") {
		t.Errorf("warnings = %q; want one that names the file", again.told)
	}
	wantTrue(t, where, "after a power cut")
}

func TestDamagedMetricsAreMadeAnew(t *testing.T) {
	where := place(t)
	b := books(t, where)
	b.run("t1", unsound, passes)
	b.leave()
	_, want := sums(t, where)
	writeFile(t, `{"schema": "looprun.metrics/1", "byCategory": {"x": null}`, where, "metrics.json")
	again := books(t, where)
	again.leave()
	if _, got := sums(t, where); !cmp.Equal(got, want) || len(again.told) != 1 {
		t.Errorf("metrics.json = %+v, told %q; want %+v", got, again.told, want)
	}
}

func FuzzSums(f *testing.F) {
	f.Add([]byte(`{"schema": "looprun.spend/1", "total": {"tries": 1, "cost_usd": "1.00"}, "days": {"2026-12-01": {}}, "counted": {"t1": 3}}`))
	f.Add([]byte(`{"schema": "looprun.metrics/1", "byCategory": {"x": null}, "recoveries": {"x": {"y": null}, "z": null}, "counted": {"t1": -3}}`))
	where := place(f)
	b := books(f, where)
	b.run("t1", unsound, limited, passes)
	b.leave()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"spend.json", "metrics.json"} {
			writeFile(t, string(data), where, name)
			b, err := openBooks(t, where)
			if err == nil {
				must(t, b.accounts.Count(openTask(t, b.store, "t1")), b.accounts.Settle())
			} else if !errors.Is(err, record.ErrSpend) {
				t.Errorf("%s: %v", name, err)
			}
			must(t, fsx.Scratch(where).RemoveAll(name), b.store.Close())
		}
	})
}
