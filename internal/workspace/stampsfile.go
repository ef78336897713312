package workspace

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

const stampsMagic = "looprun stamps 1\n"

// marshal writes l behind a head that says what it was taken of.
func (l listing) marshal(head string) []byte {
	b := appendText([]byte(stampsMagic), head)
	b = binary.AppendUvarint(b, uint64(len(l)))
	dirs := make([]string, 0, len(l))
	for d := range l {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	for _, d := range dirs {
		b = binary.AppendUvarint(appendText(b, d), uint64(len(l[d])))
		for _, e := range l[d] {
			b = appendText(b, e.Name)
			b = binary.AppendUvarint(b, uint64(e.Mode)<<1|bit(e.Made))
			b = binary.AppendUvarint(b, uint64(e.Size))
			b = binary.AppendVarint(b, e.Mtime)
			b = binary.AppendVarint(b, e.Ctime)
			b = binary.AppendUvarint(b, e.Inode)
		}
	}
	return b
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errStamps = errors.New("damaged stamps")

// unmarshalStamps reads what marshal wrote. Damaged stamps are no stamps: then
// nothing in the tree counts as known.
func unmarshalStamps(b []byte) (head string, l listing, err error) {
	rest, ok := strings.CutPrefix(string(b), stampsMagic)
	if !ok {
		return "", nil, errStamps
	}
	r := &stampReader{s: rest}
	head = r.text()
	l = listing{}
	for n := r.number(); n > 0 && r.err == nil; n-- {
		dir := r.text()
		var entries []entry
		for m := r.number(); m > 0 && r.err == nil; m-- {
			e := entry{Name: r.text()}
			mode := r.number()
			e.Mode, e.Made, e.Size = uint32(mode>>1), mode&1 == 1, int64(r.number())
			e.Mtime, e.Ctime, e.Inode = r.signed(), r.signed(), r.number()
			entries = append(entries, e)
		}
		l[dir] = entries
	}
	if r.err != nil || r.s != "" {
		return "", nil, errStamps
	}
	return head, l, nil
}

// A stampReader takes values off the front of s. After an error it gives zeros.
type stampReader struct {
	s   string
	err error
}

func (r *stampReader) number() uint64 {
	n, w := binary.Uvarint([]byte(r.s[:min(len(r.s), binary.MaxVarintLen64)]))
	return r.took(n, w)
}

func (r *stampReader) signed() int64 {
	n, w := binary.Varint([]byte(r.s[:min(len(r.s), binary.MaxVarintLen64)]))
	return int64(r.took(uint64(n), w))
}

func (r *stampReader) took(n uint64, width int) uint64 {
	if width <= 0 || r.err != nil {
		r.s, r.err = "", errStamps
		return 0
	}
	r.s = r.s[width:]
	return n
}

func (r *stampReader) text() string {
	n := r.number()
	if n > uint64(len(r.s)) {
		r.s, r.err = "", errStamps
		return ""
	}
	t := r.s[:n]
	r.s = r.s[n:]
	return t
}

// readStamps reads a stamps file; a missing or damaged one is an empty listing.
func readStamps(dir, name string) (head string, l listing) {
	d, err := fsx.Open(dir)
	if err != nil {
		return "", listing{}
	}
	defer d.Close()
	b, err := d.Read(name, 1<<30)
	if err != nil {
		return "", listing{}
	}
	if head, l, err = unmarshalStamps(b); err != nil {
		return "", listing{}
	}
	return head, l
}
