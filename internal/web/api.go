package web

import (
	"bytes"
	"net/http"

	"looprun.dev/looprun/internal/task"
)

// apiState sends what status --json prints.
func (s *Server) apiState(w http.ResponseWriter, _ *http.Request) error {
	return sendJSON(w, s.desk.Status())
}

// apiTask sends what show --json prints of a task.
func (s *Server) apiTask(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if code, _ := task.CheckID(id); code != "" {
		return noTask(id)
	}
	return sendJSON(w, s.desk.Show(id))
}

func sendJSON(w http.ResponseWriter, said Said) error {
	if said.Kind != OK {
		return said.fault()
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(said.Out)
	return nil
}

// fault is what a command complained of, with the status that it comes to.
func (s Said) fault() error {
	code := map[Kind]int{
		Missing: http.StatusNotFound, Refused: http.StatusUnprocessableEntity, Failed: http.StatusInternalServerError,
	}[s.Kind]
	text := string(bytes.TrimSpace(bytes.ReplaceAll(s.Faults, []byte("looprun: "), nil)))
	return &fault{code, text}
}
