package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// maxStreams bounds how many streams are open at once: each is a goroutine and
// a connection.
const maxStreams = 64

// A stream sends Server-Sent Events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	free    func()
}

func (s *Server) stream(w http.ResponseWriter) (*stream, error) {
	if !s.live.enter() {
		return nil, &fault{http.StatusServiceUnavailable, "too many pages are open that change by themselves"}
	}
	o := &stream{w, http.NewResponseController(w), s.live.leave}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if err := o.write("retry: 1000\n\n"); err != nil {
		o.close()
		return nil, errGone
	}
	return o, nil
}

// errGone says that whoever asked for a stream is not there any more.
var errGone = errors.New("nobody listens")

func (o *stream) close() { o.free() }

// slow bounds the time that a reader may take for one event.
const slow = 10 * time.Second

// send sends an event. Its data is JSON, so that it is one line.
func (o *stream) send(event string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return o.write(fmt.Sprintf("event: %s\ndata: %s\n\n", event, data))
}

// beat shows a reader that the stream is alive, and us that there is a reader.
func (o *stream) beat() error { return o.write(": still here\n\n") }

func (o *stream) write(text string) error {
	_ = o.control.SetWriteDeadline(time.Now().Add(slow))
	if _, err := fmt.Fprint(o.w, text); err != nil {
		return err
	}
	return o.control.Flush()
}
