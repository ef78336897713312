package record_test

import (
	"bytes"
	"errors"
	"testing"

	"looprun.dev/looprun/internal/record"
)

// Whatever stands in a journal, it is read, cut or refused, and what was read
// is a chain that starts with the claim.
func FuzzJournal(f *testing.F) {
	where := place(f)
	s := openStore(f, where)
	runTask(f, s, "t1", unsound, passes)
	whole := readFile(f, where, journalPath("t1"))
	first := bytes.IndexByte(whole, '\n') + 1
	f.Add(whole)
	f.Add(whole[:len(whole)-7])
	f.Add(whole[first:])
	f.Add(append(bytes.Clone(whole[:first]), "\x00\x00\n"...))
	f.Add(bytes.Replace(whole, []byte(`"facts"`), []byte(`"tries"`), 1))
	f.Add([]byte(`{"seq":1,"prev":"","kind":"claim","claimed":null}` + "\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, head, whole, err := record.Parse(data)
		if err != nil && !errors.Is(err, record.ErrDamaged) {
			t.Fatalf("Parse = %v; want ErrDamaged", err)
		}
		if whole > len(data) || bytes.Count(data[:whole], []byte("\n")) != len(lines) {
			t.Fatalf("%d lines in %d bytes", len(lines), whole)
		}
		prev := ""
		for i, l := range lines {
			if l.Seq != i+1 || l.Prev != prev {
				t.Fatalf("line %d: seq %d, prev %q; want prev %q", i+1, l.Seq, l.Prev, prev)
			}
			end := bytes.IndexByte(data, '\n')
			prev, data = record.Digest(data[:end]), data[end+1:]
			if _, err := l.Encode(); err != nil {
				t.Fatalf("line %d cannot be written: %v", i+1, err)
			}
		}
		if head != prev {
			t.Fatalf("head = %q; want %q", head, prev)
		}
		if err == nil && bytes.IndexByte(data, '\n') >= 0 && len(bytes.Trim(data, "\x00\n")) > 0 && !bytes.Contains(data, []byte{0}) {
			t.Fatalf("a whole line was taken for a torn one: %q", data)
		}
	})
}
