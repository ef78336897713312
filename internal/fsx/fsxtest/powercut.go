package fsxtest

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// PowerCuts gives every tree that a power cut may leave when the changes ops,
// as a Recorder saw them under root, are made to d, which is durable at first.
// With each tree comes the number of changes that had been made, the largest if
// there are several: what was promised by then must hold.
//
// The rule is that of POSIX and no kinder: contents are durable after an fsync
// of the file, entries after one of their directory; of the rest any part may
// be there, in any combination, and the last of the writes whole, halved or as
// zero bytes. Within one directory a rename is one change; between two it may
// show both names, or neither.
func (d Disk) PowerCuts(root string, ops []fsx.Op) iter.Seq2[int, Disk] {
	type state struct {
		after int
		disk  Disk
	}
	found := map[uint64]*state{}
	var order []*state
	see := func(after int, disk Disk) {
		key := disk.key()
		if s := found[key]; s != nil {
			s.after = after
			return
		}
		s := &state{after, disk}
		found[key] = s
		order = append(order, s)
	}
	c := newCache(d)
	see(0, d)
	for i, op := range ops {
		c.change(root, op)
		for disk := range c.losses() {
			see(i+1, disk)
		}
	}
	return func(yield func(int, Disk) bool) {
		for _, s := range order {
			if !yield(s.after, s.disk) {
				return
			}
		}
	}
}

// PowerCut gives the trees that a power cut may leave after all of the changes
// and before any other.
func (d Disk) PowerCut(root string, ops []fsx.Op) []Disk {
	c := newCache(d)
	for _, op := range ops {
		c.change(root, op)
	}
	var all []Disk
	found := map[uint64]bool{}
	for disk := range c.losses() {
		if key := disk.key(); !found[key] {
			found[key] = true
			all = append(all, disk)
		}
	}
	return all
}

// Unsynced is the largest number of changes that ops ever leave to chance.
func (d Disk) Unsynced(root string, ops []fsx.Op) int {
	c, most := newCache(d), 0
	for _, op := range ops {
		c.change(root, op)
		most = max(most, len(c.pending))
	}
	return most
}

// A cache is a disk with what was written to it but may not have reached it.
type cache struct {
	live    Disk // as a process sees it
	durable Disk
	pending []effect
	next    int
}

func newCache(d Disk) *cache {
	c := &cache{live: d.clone(), durable: d.clone()}
	for _, n := range d.names {
		c.next = max(c.next, n+1)
	}
	return c
}

// An effect is what becomes durable as a whole: entries of one directory, or
// contents of one file.
type effect struct {
	dir      string // of entries; "" for contents
	del, add string // names
	file     int
	data     string
	cut      bool // the file is cut to size, nothing is appended
	size     int
}

func (e effect) apply(d Disk) {
	switch {
	case e.dir == "" && e.cut:
		d.files[e.file] = d.files[e.file][:min(e.size, len(d.files[e.file]))]
	case e.dir == "":
		d.files[e.file] += e.data
	default:
		if e.del != "" {
			delete(d.names, e.del)
		}
		if e.add != "" {
			d.names[e.add] = e.file
		}
	}
}

func (c *cache) change(root string, op fsx.Op) {
	name, to := relative(root, op.Path), relative(root, op.To)
	switch op.Kind {
	case fsx.OpCreate:
		c.durable.files[c.next], c.live.files[c.next] = "", ""
		c.entry(effect{add: name, file: c.next})
		c.next++
	case fsx.OpMkdir:
		c.entry(effect{add: name, file: c.next})
		c.next++
	case fsx.OpWrite:
		c.does(effect{file: c.file(name), data: string(op.Data)})
	case fsx.OpTruncate:
		c.does(effect{file: c.file(name), cut: true, size: int(op.Size)})
	case fsx.OpLink:
		c.entry(effect{add: to, file: c.file(name)})
	case fsx.OpUnlink:
		c.entry(effect{del: name})
	case fsx.OpRename:
		c.rename(name, to)
	case fsx.OpSync:
		file := c.file(name)
		c.sync(func(e effect) bool { return e.dir == "" && e.file == file })
	case fsx.OpSyncDir:
		c.sync(func(e effect) bool { return e.dir == name })
	case fsx.OpSyncAll:
		c.sync(func(effect) bool { return true })
	default:
		panic(fmt.Sprintf("power cut: unknown change %q", op.Kind))
	}
}

func (c *cache) rename(name, to string) {
	file := c.file(name)
	if path.Dir(name) == path.Dir(to) {
		c.entry(effect{del: name, add: to, file: file})
		return
	}
	c.entry(effect{add: to, file: file})
	c.entry(effect{del: name})
}

func (c *cache) file(name string) int {
	n, ok := c.live.names[name]
	if !ok {
		panic(fmt.Sprintf("power cut: a change of %q, which is not there", name))
	}
	return n
}

func (c *cache) entry(e effect) {
	e.dir = path.Dir(e.add + e.del)
	if e.add != "" {
		e.dir = path.Dir(e.add)
	}
	c.does(e)
}

func (c *cache) does(e effect) {
	e.apply(c.live)
	c.pending = append(c.pending, e)
}

func (c *cache) sync(reached func(effect) bool) {
	c.pending = slices.DeleteFunc(c.pending, func(e effect) bool {
		if reached(e) {
			e.apply(c.durable)
			return true
		}
		return false
	})
}

// losses gives what the disk may hold if the power goes now.
func (c *cache) losses() iter.Seq[Disk] {
	return func(yield func(Disk) bool) {
		for kept := range subsets(len(c.pending)) {
			for _, tear := range []func(string) string{whole, half, zeros} {
				if !yield(c.with(kept, tear)) {
					return
				}
			}
		}
	}
}

func whole(s string) string { return s }
func half(s string) string  { return s[:len(s)/2] }
func zeros(s string) string { return strings.Repeat("\x00", len(s)) }

// with is the disk with some of the pending effects, the last write torn.
func (c *cache) with(kept func(int) bool, tear func(string) string) Disk {
	d := c.durable.clone()
	last := -1
	for i, e := range c.pending {
		if kept(i) && e.dir == "" && !e.cut {
			last = i
		}
	}
	for i, e := range c.pending {
		if !kept(i) {
			continue
		}
		if i == last {
			e.data = tear(e.data)
		}
		e.apply(d)
	}
	return d
}

// subsets gives all subsets of n things while they are few, else none, all,
// each alone, all but each, and each beginning.
func subsets(n int) iter.Seq[func(int) bool] {
	return func(yield func(func(int) bool) bool) {
		if n <= 8 {
			for bits := range 1 << n {
				if !yield(func(i int) bool { return bits>>i&1 == 1 }) {
					return
				}
			}
			return
		}
		for k := range n + 1 {
			if !yield(func(i int) bool { return i < k }) || !yield(func(i int) bool { return i == k }) || !yield(func(i int) bool { return i != k }) {
				return
			}
		}
	}
}

// WithoutSync is ops without the ith of its fsyncs, counted from 0, and where
// that stood; ok is false if there are fewer.
func WithoutSync(ops []fsx.Op, i int) (rest []fsx.Op, at int, ok bool) {
	for at, op := range ops {
		if op.Kind != fsx.OpSync && op.Kind != fsx.OpSyncDir && op.Kind != fsx.OpSyncAll {
			continue
		}
		if i--; i < 0 {
			return slices.Delete(slices.Clone(ops), at, at+1), at, true
		}
	}
	return nil, 0, false
}
