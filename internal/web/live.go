package web

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/task"
)

// A pulse tells open pages that something changed. What it looks at is the
// truth: folders, flags and the end of events.jsonl; events of the file system
// only make it look sooner. While no page is open it rests.
type pulse struct {
	loop, tasks string

	mu      sync.Mutex
	version int
	pages   map[chan change]bool
	streams int
	woken   chan struct{}
}

// A change is what is told to a page.
type change struct {
	Version int      `json:"version"`
	Tasks   []string `json:"tasks,omitempty"` // whose records grew
	What    []string `json:"what,omitempty"`  // in words
}

func newPulse(loop, tasks string) *pulse {
	return &pulse{loop: loop, tasks: tasks, pages: map[chan change]bool{}, woken: make(chan struct{}, 1)}
}

func (p *pulse) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streams >= maxStreams {
		return false
	}
	p.streams++
	return true
}

func (p *pulse) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams--
}

// join gives a page its channel, and the version that it is at.
func (p *pulse) join() (chan change, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(chan change, 16)
	p.pages[c] = true
	p.wake()
	return c, p.version
}

func (p *pulse) part(c chan change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pages, c)
}

func (p *pulse) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// tell sends a change to every page. One that does not keep up is told by the
// next that it missed one: versions count up by one.
func (p *pulse) tell(c change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version++
	c.Version = p.version
	for page := range p.pages {
		select {
		case page <- c:
		default:
		}
	}
}

// now is the version that a page which is made now is at.
func (p *pulse) now() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

func (p *pulse) watched() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pages) > 0
}

// run looks for changes while pages are open, until ctx ends.
func (p *pulse) run(ctx context.Context) {
	hints, closeHints := p.hints()
	defer closeHints()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	was := p.sight()
	events := newEventTail(filepath.Join(p.loop, "events.jsonl"))
	for {
		select {
		case <-ctx.Done():
			return
		case <-hints:
		case <-tick.C:
		}
		if !p.watched() {
			select {
			case <-ctx.Done():
				return
			case <-p.woken:
				events = newEventTail(events.path) // what was missed is seen, not told
			}
		}
		c := events.read()
		if now := p.sight(); now != was || len(c.Tasks) > 0 {
			was = now
			p.tell(c)
		}
	}
}

// hints are events of the file system; none where there are no such events.
func (p *pulse) hints() (<-chan fsnotify.Event, func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func() {}
	}
	for _, stage := range task.Stages {
		_ = w.Add(filepath.Join(p.tasks, string(stage)))
	}
	_ = w.Add(p.loop)
	return w.Events, func() { _ = w.Close() }
}

// sight is what is compared to see that something changed.
func (p *pulse) sight() string {
	var b strings.Builder
	look := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%d %d;", info.ModTime().UnixNano(), info.Size())
			return
		}
		b.WriteString("-;")
	}
	for _, stage := range task.Stages {
		look(filepath.Join(p.tasks, string(stage)))
	}
	for _, name := range []string{"events.jsonl", "pause", "owner.json", "breakers", "requests"} {
		look(filepath.Join(p.loop, name))
	}
	if r, err := record.NewReader(p.loop); err == nil {
		_, held, _ := r.Owner()
		fmt.Fprint(&b, held)
		_ = r.Close()
	}
	return b.String()
}

// beatEvery is how often a page without news hears that it is still told.
const beatEvery = 15 * time.Second

// events streams changes to a page, first where it begins.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	news, version := s.live.join()
	defer s.live.part(news)
	out, err := s.stream(w)
	if err != nil {
		return err
	}
	defer out.close()
	if out.send("hello", change{Version: version}) != nil {
		return nil
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return nil
		case c := <-news:
			err = out.send("change", c)
		case <-beat.C:
			err = out.beat()
		}
		if err != nil {
			return nil
		}
	}
}
