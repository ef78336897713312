// Package web owns what people look at in a browser: the report, and the
// dashboard with its actions. All that it shows comes from the records and from
// its Desk; an action is a command of the Desk and nothing else.
//
// It must never decide anything about a task, write a file, or let text of a
// task, a generator or a check be markup.
package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options say what is shown, and to whom.
type Options struct {
	Loop  string // the folder of the records; it may not be there yet
	Tasks string // the folder of the stages
	Name  string // of the workspace, for titles
	Write bool   // actions are offered and taken
	// Token has to be shown by every request; "": none is asked for, which is
	// for listeners on loopback alone.
	Token string
	// Anywhere says that the listener is not on loopback: then every address is
	// taken for a name of it, and no name but those of Hosts.
	Anywhere bool
	Hosts    []string // names that the pages are reached by, beside localhost
	Now      func() time.Time
}

// A Server answers requests. Its zero value is of no use: see New.
type Server struct {
	Options
	desk  Desk
	pages *pages
	index *index
	live  *pulse
	guard *guard

	reporting sync.Mutex // a report reads many journals: one at a time
}

// New makes a server of the pages.
func New(desk Desk, o Options) (*Server, error) {
	s := &Server{Options: o, desk: desk, index: newIndex(desk, o.Tasks)}
	s.live = newPulse(o.Loop, o.Tasks)
	var err error
	if s.guard, err = newGuard(o); err != nil {
		return nil, err
	}
	s.pages, err = parsePages()
	return s, err
}

// Bounds of a connection. Streams set deadlines of their own.
const (
	headTimeout  = 5 * time.Second
	idleTimeout  = 2 * time.Minute
	replyTimeout = time.Minute
	endTimeout   = 20 * time.Second // for what is under way when the server is to end
	maxHeader    = 64 << 10
	maxBody      = 2 << 20
)

// Serve answers on l until ctx ends, and what was begun is finished. Its error
// is nil then.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	live, stop := context.WithCancel(ctx) // streams end with it
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { s.live.run(live) })
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headTimeout, ReadTimeout: replyTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return live }, ConnContext: withPeer,
	}
	running.Go(func() {
		<-live.Done()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		_ = server.Shutdown(limited) // what it does not end in time ends with the process
	})
	err := server.Serve(l)
	stop()
	running.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Handler is the server without its listener. Nothing is told live unless Serve
// runs too.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, page := range map[string]page{
		"GET /{$}":                         s.board,
		"GET /tasks":                       s.list,
		"GET /tasks/{id}":                  s.task,
		"GET /tasks/{id}/rounds/{n}/diff":  s.diff,
		"GET /tasks/{id}/rounds/{n}/patch": s.patch,
		"GET /tasks/{id}/compare":          s.compare,
		"GET /tasks/{id}/log":              s.log,
		"GET /tasks/{id}/raw":              s.raw,
		"GET /tasks/{id}/follow":           s.follow,
		"GET /quarantine/{name}":           s.quarantined,
		"GET /breakers":                    s.breakers,
		"GET /report":                      s.report,
		"GET /events":                      s.events,
		"GET /static/{name}":               s.static,
		"GET /api/v1/state":                s.apiState,
		"GET /api/v1/tasks/{id}":           s.apiTask,
		"GET /add":                         s.addForm,
		"GET /{rest...}":                   s.nowhere,
		"POST /add":                        s.acts(s.add),
		"POST /pause":                      s.acts(s.pause),
		"POST /resume":                     s.acts(s.resume),
		"POST /tasks/{id}/answer":          s.acts(s.answer),
		"POST /tasks/{id}/retry":           s.acts(s.retry),
		"POST /tasks/{id}/cancel":          s.acts(s.cancel),
	} {
		mux.Handle(pattern, s.handle(page))
	}
	mux.Handle("POST /enter", http.HandlerFunc(s.guard.enter))
	return s.guard.protect(mux)
}

// A page answers a request, or says what is wrong with it.
type page func(http.ResponseWriter, *http.Request) error

// handle bounds the time of an answer and makes a page of its fault.
func (s *Server) handle(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replyTimeout)) // not every writer has one
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := p(w, r); err != nil && !errors.Is(err, errGone) {
			s.fault(w, r, err)
		}
	})
}

func (s *Server) nowhere(http.ResponseWriter, *http.Request) error {
	return &fault{http.StatusNotFound, "there is no such page"}
}
