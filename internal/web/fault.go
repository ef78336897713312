package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
)

// A fault is an answer that is no page: its status, and what it says.
type fault struct {
	code int
	text string
}

func (f *fault) Error() string { return f.text }

func noTask(id string) error {
	return &fault{http.StatusNotFound, fmt.Sprintf("there is no task %q", id)}
}

// status is the code that an error is told with.
func status(err error) int {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

// fault tells what is wrong as a page, or as JSON where that was asked for.
func (s *Server) fault(w http.ResponseWriter, r *http.Request, err error) {
	code := status(err)
	if strings.HasPrefix(r.URL.Path, "/api/") {
		writeJSON(w, code, map[string]any{"error": err.Error()})
		return
	}
	body := struct {
		Code int
		Name string
		Text string
	}{code, http.StatusText(code), err.Error()}
	_ = s.show(w, r, code, "fault", view{Title: body.Name, Body: body})
}
