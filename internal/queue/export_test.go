package queue

import (
	"maps"
	"slices"

	"github.com/fsnotify/fsnotify"

	"looprun.dev/looprun/internal/fsx"
)

// SetRead puts read in the place of the disk, for files that it cannot give.
func (q *Queue) SetRead(read func(name string) ([]byte, error)) {
	q.read = func(d *fsx.Dir, name string) ([]byte, error) {
		data, err := read(name)
		if data == nil && err == nil {
			return readTask(d, name)
		}
		return data, err
	}
}

// A FakeSource is a source of events in a test's hands.
type FakeSource struct {
	Add    func(path string) error
	Closed bool
	Events chan fsnotify.Event
	Errors chan error
}

// From lets Watch take its events from the sources that next gives.
func (w Watching) From(next func() (*FakeSource, error)) Watching {
	w.open = func() (source, error) {
		f, err := next()
		if err != nil {
			return source{}, err
		}
		closing := func() error { f.Closed = true; return nil }
		return source{add: f.Add, close: closing, events: f.Events, errors: f.Errors}, nil
	}
	return w
}

// Circles is what the names in after wait for in a circle. They come in the
// order of a listing.
func Circles(after map[string][]string) map[string]string {
	var entries []entry
	for _, id := range slices.Sorted(maps.Keys(after)) {
		entries = append(entries, entry{name: id + suffix, state: ready, more: &more{after: after[id]}})
	}
	return circles(entries)
}

// Followed and Original show how names are taken apart.
var (
	Followed = followed
	Original = original
)

// SortOf is the sort of a name in words.
func SortOf(name string) string { return [...]string{"ignored", "strange", "offered"}[sortOf(name)] }
