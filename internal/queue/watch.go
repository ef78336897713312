package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"looprun.dev/looprun/internal/task"
)

// Watching says how Watch learns of changes.
type Watching struct {
	Mode  string        // auto, events (an error without them) or poll
	Every time.Duration // a hint comes at least so often, whatever happens; 30 s if zero
	Note  func(string)  // is told why there are no events, and when there are again

	open func() (source, error)
}

// The modes of Watching.
const (
	WatchAuto   = "auto"
	WatchEvents = "events"
	WatchPoll   = "poll"
)

const (
	rescan = 30 * time.Second
	poll   = time.Second // between looks at inbox without events
)

// A source gives the events of a directory.
type source struct {
	add    func(path string) error
	close  func() error
	events <-chan fsnotify.Event
	errors <-chan error
}

func openSource() (source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return source{}, err
	}
	return source{add: w.Add, close: w.Close, events: w.Events, errors: w.Errors}, nil
}

// Watch sends a hint when inbox may have changed: scan then. A hint says
// nothing more, several may be one, and a missing one costs time until the
// next, never a task. The channel is closed when ctx ends.
func (q *Queue) Watch(ctx context.Context, how Watching) (<-chan struct{}, error) {
	w := &watch{Watching: how, path: filepath.Join(q.path, string(task.Inbox)), hints: make(chan struct{}, 1)}
	if w.Every <= 0 {
		w.Every = rescan
	}
	if w.open == nil {
		w.open = openSource
	}
	if w.Note == nil {
		w.Note = func(string) {}
	}
	if w.Mode != WatchPoll {
		if err := w.listen(); err != nil && w.Mode == WatchEvents {
			return nil, fmt.Errorf("watch %q: %w", w.path, err)
		}
	}
	w.hint()
	go w.run(ctx)
	return w.hints, nil
}

type watch struct {
	Watching
	path  string
	hints chan struct{}
	source
	live bool        // events of the directory that info describes arrive
	info fs.FileInfo // inbox, when it was last looked at
	last time.Time   // when the last hint was due without any event
}

func (w *watch) run(ctx context.Context) {
	defer close(w.hints)
	defer w.deafen()
	tick := time.NewTicker(min(poll, w.Every))
	defer tick.Stop()
	w.last = time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.events:
			if !ok || e.Name == w.path && e.Has(fsnotify.Remove|fsnotify.Rename) {
				w.deafen()
			}
			w.hint()
		case <-w.errors: // as of an overflow: something was missed
			w.hint()
		case <-tick.C:
			w.look()
		}
	}
}

// look sees to it that the right directory is listened to, and takes the place
// of events while there are none.
func (w *watch) look() {
	info, err := os.Stat(w.path)
	same := err == nil && w.info != nil && os.SameFile(info, w.info)
	if w.live && !same {
		w.deafen()
	}
	changed := err == nil && (!same || !info.ModTime().Equal(w.info.ModTime()))
	if err == nil {
		w.info = info
	}
	deaf := !w.live
	if deaf && w.Mode != WatchPoll && err == nil && !same {
		_ = w.listen() // if there are no events, looking goes on
	}
	if due := time.Since(w.last) >= w.Every; due || changed && deaf {
		w.last = time.Now()
		w.hint()
	}
}

// listen starts the events of inbox. Without them looks at intervals do.
func (w *watch) listen() error {
	w.info, _ = os.Stat(w.path)
	s, err := w.open()
	if err == nil {
		if err = w.addTo(s); err != nil {
			s.close()
		}
	}
	if err != nil {
		w.Note(fmt.Sprintf("no events of %s, it is looked at every second instead: %v", w.path, plainly(err)))
		return err
	}
	w.source, w.live = s, true
	return nil
}

func (w *watch) addTo(s source) error {
	if err := affordable(w.path); err != nil {
		return err
	}
	return s.add(w.path)
}

// deafen ends the events; those of a directory that was moved away would be
// about the wrong one.
func (w *watch) deafen() {
	if w.live {
		w.close()
	}
	w.source, w.live, w.info = source{}, false, nil
}

func (w *watch) hint() {
	select {
	case w.hints <- struct{}{}:
	default: // one is waiting already
	}
}

// plainly explains the errors that read as if the disk or the process had
// run out of something.
func plainly(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the user's limit of watches is used up (fs.inotify.max_user_watches)")
	case errors.Is(err, syscall.EMFILE):
		return errors.New("the user's limit of watchers is used up (fs.inotify.max_user_instances)")
	}
	return err
}
