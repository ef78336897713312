package web

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// openFile opens a file of a task's records: one that is there, is regular and
// lies below its attempts, whatever its name says.
func (s *Server) openFile(id, name string) (*os.File, error) {
	gone := &fault{http.StatusNotFound, fmt.Sprintf("there is no file %q of task %q", name, id)}
	if code, _ := task.CheckID(id); code != "" || !fs.ValidPath(name) || !strings.HasPrefix(name, "attempts/") {
		return nil, gone
	}
	root, err := os.OpenRoot(filepath.Join(s.Loop, "tasks", id))
	if err != nil {
		return nil, gone
	}
	defer root.Close()
	if info, err := root.Lstat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		return nil, gone
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, gone
	}
	return f, nil
}

// readUpTo reads a file, or its beginning.
func readUpTo(f *os.File, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", f.Name(), err)
	}
	return data, nil
}

// raw sends a file of a task's records as it is, to be kept and never shown.
func (s *Server) raw(w http.ResponseWriter, r *http.Request) error {
	name := r.FormValue("file")
	f, err := s.openFile(r.PathValue("id"), name)
	if err != nil {
		return err
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+r.PathValue("id")+"-"+path.Base(path.Dir(name))+"-"+plainName(path.Base(name))+`"`)
	_, _ = io.Copy(w, f)
	return nil
}

// plainName is a file's name without what a header could take for its own.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/;`, r) {
			return '_'
		}
		return r
	}, name)
}
