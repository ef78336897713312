package queue_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"looprun.dev/looprun/internal/queue"
	"looprun.dev/looprun/internal/task"
)

func TestNamesDecideWhatIsLookedAt(t *testing.T) {
	tests := map[string]struct{ name, want string }{
		"a task":                           {"t1.json", "offered"},
		"39 a newline":                     {"a\nb.json", "strange"},
		"39 a control character":           {"a\x1b[31m.json", "strange"},
		"39 bytes that are no UTF-8":       {"a\xff.json", "strange"},
		"39 255 bytes":                     {strings.Repeat("a", 250) + ".json", "strange"},
		"39 as long as can be quarantined": {strings.Repeat("a", 195) + ".json", "offered"},
		"40 no .json":                      {"t1", "ignored"},
		"40 .JSON":                         {"t1.JSON", "strange"},
		"40 .json.tmp":                     {"t1.json.tmp", "ignored"},
		"40 a backup":                      {"t1.json~", "ignored"},
		"40 a swap file":                   {".t1.json.swp", "ignored"},
		"40 a dot file":                    {".t1.json", "ignored"},
		"40 an editor's lock":              {"#t1.json#", "ignored"},
		"40 an office's lock":              {"~$t1.json", "ignored"},
		"40 an editor's probe":             {"4913", "ignored"},
		"40 nothing but .json":             {".json", "ignored"},
		"40 one of looprun's own":          {".tmp-0123456789abcdef", "ignored"},
		"33 upper case is quarantined":     {"T1.json", "offered"},
		"33 an emoji is quarantined":       {"🎉.json", "offered"},
		"no name at all":                   {"", "ignored"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := queue.SortOf(test.name); got != test.want {
				t.Errorf("sort of %q = %s; want %s", test.name, got, test.want)
			}
		})
	}
}

func TestStrangeNamesAreToldOnceAndQuoted(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a\nb.json", body("a"))
	p.put("inbox/t1.JSON", body("t1"))
	p.put("inbox/t2.json~", "")
	q := p.open()
	l := scan(t, q, noon)
	if got, want := show(l), "strange_name a\nb.json; strange_name t1.JSON"; got != want {
		t.Fatalf("Scan = %q; want %q", got, want)
	}
	if got := l.Warnings[0].String(); !strings.HasPrefix(got, `"a\nb.json": `) {
		t.Errorf("warning = %s; want the name quoted", got)
	}
	wantScan(t, q, noon, "")
}

func TestHalfWrittenFilesAreWaitedFor(t *testing.T) {
	whole := body("t1")
	tests := map[string]struct {
		first string
		bad   string // what it is if it stays so
	}{
		"1 empty":            {"", "empty"},
		"2 only white space": {" \n", "empty"},
		"3 truncated":        {whole[:20], "truncated"},
	}
	for name, test := range tests {
		t.Run(name+", then whole", func(t *testing.T) {
			p := newPlace(t)
			q := p.open()
			p.put("inbox/t1.json", test.first)
			wantScan(t, q, noon, "half_written t1.json")
			p.put("inbox/t1.json", whole)
			wantScan(t, q, noon.Add(100*time.Millisecond), "ready t1")
		})
		t.Run(name+", and stays so", func(t *testing.T) {
			p := newPlace(t)
			q := p.open()
			p.put("inbox/t1.json", test.first)
			l := scan(t, q, noon)
			if got, want := l.Settles, noon.Add(2*time.Second); !got.Equal(want) {
				t.Errorf("Settles = %v; want %v", got, want)
			}
			wantScan(t, q, noon.Add(1900*time.Millisecond), "half_written t1.json")
			wantScan(t, q, noon.Add(2*time.Second), test.bad+" t1.json")
		})
	}
}

func TestAFileThatStillGrowsStartsTheWaitAnew(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	for i := range 5 {
		p.put("inbox/t1.json", strings.Repeat(" ", i))
		wantScan(t, q, noon.Add(time.Duration(i)*1500*time.Millisecond), "half_written t1.json")
	}
	wantScan(t, q, noon.Add(7900*time.Millisecond), "half_written t1.json")
	wantScan(t, q, noon.Add(8*time.Second), "empty t1.json")
}

func TestAFileThatGrowsForEverIsToldOnce(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	for i := range 80 {
		p.put("inbox/t1.json", strings.Repeat(" ", i))
		want := "half_written t1.json"
		if i == 60 {
			want += "; still_growing t1.json"
		}
		wantScan(t, q, noon.Add(time.Duration(i)*time.Second), want)
	}
}

func TestCompleteFilesWithFaultsAreBadAtOnce(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a.json", body("a")+" x")
	p.put("inbox/b.json", `{"id": "b"}`)
	p.put("inbox/c.json", body("d"))
	p.put("inbox/e.json", body("e"))
	wantScan(t, p.open(), noon, "ready e; trailing_data a.json; missing_key b.json; id_not_stem c.json")
}

// Row 51: the age of a file says nothing.
func TestModificationTimesDecideNothing(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a.json", body("a"))
	p.put("inbox/b.json", body("b"))
	p.put("inbox/c.json", "{")
	p.must(p.Chtimes("inbox/a.json", noon.AddDate(40, 0, 0)), p.Chtimes("inbox/b.json", time.Unix(0, 0)), p.Chtimes("inbox/c.json", noon.AddDate(40, 0, 0)))
	q := p.open()
	wantScan(t, q, noon, "ready a; ready b; half_written c.json")
	wantScan(t, q, noon.Add(2*time.Second), "ready a; ready b; truncated c.json")
}

func TestAHugeFileIsBadUnread(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/big.json", "")
	f, err := os.OpenFile(p.Path("inbox/big.json"), os.O_WRONLY, 0)
	p.must(err, f.Truncate(100<<20), f.Close())
	q := p.open()
	q.SetRead(func(name string) ([]byte, error) {
		t.Errorf("%s was read", name)
		return nil, nil
	})
	wantScan(t, q, noon, "too_large big.json")
	if as, err := q.Quarantine("big.json", scan(t, q, noon).Bad[0].Faults); as != "big.json" || err != nil {
		t.Errorf("Quarantine = %q, %v; want big.json", as, err)
	}
	p.wantFiles("blocked/big.json")
}

func TestAnUnreadableFileIsQuarantined(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a.json", body("a"))
	q := p.open()
	q.SetRead(func(string) ([]byte, error) { return nil, fs.ErrPermission })
	l := scan(t, q, noon)
	if got, want := show(l), "unreadable a.json"; got != want {
		t.Fatalf("Scan = %s; want %s", got, want)
	}
	if _, err := q.Quarantine("a.json", l.Bad[0].Faults); err != nil {
		t.Fatal(err)
	}
	p.wantFiles("blocked/a.json")
}

func TestReadErrorsOfTheDiskAreLeftUntilThereAreThreeInARow(t *testing.T) {
	p := newPlace(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		p.put("inbox/"+id+".json", body(id))
	}
	q := p.open()
	broken := "a b"
	q.SetRead(func(name string) ([]byte, error) {
		if strings.Contains(broken, name[:1]) {
			return nil, syscall.EIO
		}
		return nil, nil
	})
	wantScan(t, q, noon, "ready c; ready d; ready e; read_error a.json; read_error b.json")
	wantScan(t, q, noon, "ready c; ready d; ready e")
	if _, err := q.Scan(nil, nil, noon); !errors.Is(err, syscall.EIO) {
		t.Errorf("Scan after three errors in a row = %v; want EIO", err)
	}
	broken = ""
	wantScan(t, q, noon, "ready a; ready b; ready c; ready d; ready e")
}

// Rows 5 and 6: what is claimed is what is in processing.
func TestTheFileMayChangeBetweenScanAndClaim(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("inbox/a.json", body("a"))
	p.put("inbox/b.json", body("b"))
	p.put("inbox/c.json", body("c"))
	wantScan(t, q, noon, "ready a; ready b; ready c")
	p.must(p.Remove("inbox/a.json"))
	p.put("inbox/b.json", body("b", `"title": "another"`))
	p.put("inbox/c.json", "{}")
	if _, err := q.Claim("a.json"); !errors.Is(err, queue.ErrGone) {
		t.Errorf("Claim of a file that vanished = %v; want ErrGone", err)
	}
	if c := claim(t, q, "b"); c.Task.Title != "another" {
		t.Errorf("title = %q; want that of the file in processing", c.Task.Title)
	}
	var rejected *queue.Rejected
	if _, err := q.Claim("c.json"); !errors.As(err, &rejected) || rejected.Faults[0].Code != task.CodeMissingKey {
		t.Errorf("Claim of a file that went bad = %v; want a Rejected", err)
	}
	p.wantFiles("blocked/c.json processing/b.json")
}

func TestFilesAreReadOnceAndAgainWhenTheyChange(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a.json", body("a"))
	p.put("inbox/b.json", body("b"))
	q := p.open()
	var reads []string
	q.SetRead(func(name string) ([]byte, error) {
		reads = append(reads, name)
		return nil, nil
	})
	scan(t, q, noon)
	scan(t, q, noon)
	p.put("inbox/b.json", body("b", `"priority": 1`))
	wantScan(t, q, noon, "ready b; ready a")
	if got, want := strings.Join(reads, " "), "a.json b.json b.json"; got != want {
		t.Errorf("reads = %s; want %s", got, want)
	}
	q.Forget()
	scan(t, q, noon)
	if got, want := len(reads), 5; got != want {
		t.Errorf("%d reads after Forget; want %d", got, want)
	}
}

func TestOrderIsPriorityThenName(t *testing.T) {
	p := newPlace(t)
	for _, f := range []struct{ id, members string }{
		{"c", `"priority": 1`}, {"b", `"priority": -1`}, {"a", `"priority": 0`}, {"d", `"priority": 1`}, {"a.b", `"priority": 0`},
	} {
		p.put("inbox/"+f.id+".json", body(f.id, f.members))
	}
	wantScan(t, p.open(), noon, "ready c; ready d; ready a.b; ready a; ready b")
}

func TestATaskWaitsForItsTime(t *testing.T) {
	p := newPlace(t)
	q := p.open()
	p.put("inbox/a.json", body("a", fmt.Sprintf(`"not_before": %q`, noon.Add(time.Hour).Format(time.RFC3339))))
	l := scan(t, q, noon)
	if got, want := show(l), "not_before a.json"; got != want || !l.Waiting[0].Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("Scan = %s until %v; want %s until one hour later", got, l.Waiting, want)
	}
	wantScan(t, q, noon.Add(time.Hour), "ready a")
}

func TestWhatLoopYamlKnowsIsAsked(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a.json", body("a"))
	p.put("inbox/b.json", body("b"))
	known := func(x task.Task) []task.Fault {
		if x.ID == "a" {
			return []task.Fault{{Field: "verify[0]", Code: task.CodeUnknownName, Msg: "no such profile"}}
		}
		return []task.Fault{{Code: task.CodeAboveLimit, Msg: "has no effect", Warning: true}}
	}
	q := p.open()
	l, err := q.Scan(known, nil, noon)
	if got, want := show(l), "ready b; unknown_name a.json"; err != nil || got != want {
		t.Fatalf("Scan = %s, %v; want %s", got, err, want)
	}
	if f := l.Bad[0].Faults[0]; f.Line != 1 || f.Col == 0 {
		t.Errorf("fault = %+v; want its place in the file", f)
	}
	if c := claim(t, q, "b"); len(c.Warnings) != 1 {
		t.Errorf("warnings = %v; want one", c.Warnings)
	}
	var rejected *queue.Rejected
	if _, err := q.Claim("a.json"); !errors.As(err, &rejected) {
		t.Errorf("Claim of what loop.yaml refuses = %v; want a Rejected", err)
	}
}

// Row 37, and a task moved by hand from needs-input or blocked to inbox.
func TestAnIDIsUsedOnce(t *testing.T) {
	p := newPlace(t)
	p.put("inbox/a.json", body("a"))
	p.put("inbox/b.json", body("b"))
	q := p.open()
	l, err := q.Scan(nil, func(id string) bool { return id == "a" }, noon)
	if got, want := show(l), "ready b; id_used a.json"; err != nil || got != want {
		t.Fatalf("Scan = %s, %v; want %s", got, err, want)
	}
	as, err := q.Quarantine("a.json", l.Bad[0].Faults)
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Reason(as)
	if err != nil || !strings.Contains(r.Hint, "looprun answer a") || !strings.Contains(r.Hint, "looprun retry a") {
		t.Errorf("Reason = %+v, %v; want a hint of answer and retry", r, err)
	}
}

func TestTenThousandFilesComeInNameOrder(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 10_000)
	q := p.open()
	before := heap()
	l := scan(t, q, noon)
	if held := (int64(heap()) - int64(before)) / 10_000; held > 200 {
		t.Errorf("%d bytes are held for each file; want at most 200", held)
	}
	runtime.KeepAlive(q)
	if len(l.Ready) != 10_000 || !slices.IsSortedFunc(l.Ready, func(a, b queue.Item) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%d ready; want 10000 in the order of their names", len(l.Ready))
	}
}

func fill(t testing.TB, p place, n int) {
	t.Helper()
	for i := range n {
		id := fmt.Sprintf("t%06d", i)
		p.put("inbox/"+id+".json", body(id))
	}
}
