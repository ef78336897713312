package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// A line that was changed, taken out or moved is not repaired: the journal is
// left as it is, byte for byte, and every attempt to write to it is refused.
func TestADamagedJournalIsNeverWrittenTo(t *testing.T) {
	path := place(t)
	s := openStore(t, path)
	must(t, runTask(t, s, "t1", unsound, passes).Close())
	whole := lines(readFile(t, path, journalPath("t1")))
	join := func(l ...[]byte) string { return string(bytes.Join(l, nil)) }
	without := func(i int) string { return join(slices.Delete(slices.Clone(whole), i, i+1)...) }
	for name, data := range map[string]string{
		"another byte in a middle line":     strings.Replace(join(whole...), `"kind":"start"`, `"kind":"Start"`, 1),
		"another number that still decodes": strings.Replace(join(whole...), `"draw":0.25`, `"draw":0.26`, 1),
		"the first line gone":               without(0),
		"a middle line gone":                without(2),
		"a line twice":                      join(slices.Insert(slices.Clone(whole), 2, whole[2])...),
		"two lines swapped":                 join(append([][]byte{whole[0], whole[2], whole[1]}, whole[3:]...)...),
		"an empty line":                     join(slices.Insert(slices.Clone(whole), 2, []byte("\n"))...),
		"zero bytes in a middle line":       strings.Replace(join(whole...), `"kind":"start"`, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 1),
		"no JSON at the end":                join(whole...) + "}\n",
		"an unknown kind":                   chained(t, whole, `"kind":"dance"`),
		"a kind without its contents":       chained(t, whole, `"kind":"verify"`),
		"a second claim":                    chained(t, whole, `"kind":"claim","claimed":{}`),
		"no claim first":                    `{"seq":1,"prev":"","at":"2026-12-01T12:00:00Z","kind":"start","facts":{"now":"2026-12-01T12:00:00Z","draw":0}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, data, path, journalPath("t1"))
			before := stamps(t, path)
			if _, err := s.Task("t1"); !errors.Is(err, record.ErrDamaged) {
				t.Errorf("Task = %v; want ErrDamaged", err)
			}
			if _, err := s.Repair("t1"); err != nil {
				t.Errorf("Repair = %v", err)
			}
			if _, err := historyOf(path, "t1"); !errors.Is(err, record.ErrDamaged) {
				t.Errorf("Reader.Task = %v; want ErrDamaged", err)
			}
			if diff := cmp.Diff(before, stamps(t, path)); diff != "" {
				t.Errorf("files changed (-before +after):\n%s", diff)
			}
			if _, err := s.Begin("t1", noon, claim(t, "t1")); !errors.Is(err, record.ErrDamaged) {
				t.Errorf("Begin = %v; want ErrDamaged", err)
			}
			if got := string(readFile(t, path, journalPath("t1"))); got != data {
				t.Error("the journal was written to")
			}
		})
	}
}

// chained is a journal with one more line that follows by its number and hash.
func chained(t *testing.T, all [][]byte, member string) string {
	t.Helper()
	data := bytes.Join(all, nil)
	head := record.Digest(bytes.TrimSuffix(all[len(all)-1], []byte("\n")))
	return fmt.Sprintf("%s{\"seq\":%d,\"prev\":%q,\"at\":\"2026-12-01T12:00:00Z\",%s}\n", data, len(all)+1, head, member)
}

// The lines before the damage are still there to be looked at.
func TestAReaderGivesTheLinesBeforeTheDamage(t *testing.T) {
	path := place(t)
	runTask(t, openStore(t, path), "t1", passes)
	all := lines(readFile(t, path, journalPath("t1")))
	writeFile(t, string(all[0])+string(all[1])+"nonsense\n", path, journalPath("t1"))
	h, err := historyOf(path, "t1")
	if !errors.Is(err, record.ErrDamaged) || len(h.Lines) != 2 || h.State.Next != round.Start {
		t.Errorf("Task = %d lines, next %s, %v; want 2 lines, next start, ErrDamaged", len(h.Lines), h.State.Next, err)
	}
	if !strings.Contains(err.Error(), "line 3") {
		t.Errorf("Task = %v; want the number of the line", err)
	}
}
