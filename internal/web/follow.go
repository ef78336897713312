package web

import (
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"looprun.dev/looprun/internal/screen"
)

// glance is the time between two looks at a file that somebody else writes.
const glance = 200 * time.Millisecond

// A piece is what was added to a log.
type piece struct {
	Text string `json:"text"`
	End  int64  `json:"end"` // the offset behind it
}

// follow streams what is added to a log from an offset on, until the task has
// ended or the next try has begun.
func (s *Server) follow(w http.ResponseWriter, r *http.Request) error {
	id, file := r.PathValue("id"), r.FormValue("file")
	f, err := s.openFile(id, file)
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := s.stream(w)
	if err != nil {
		return err
	}
	defer out.close()
	from := int64(number(r, "from", 0))
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for n := 0; ; n++ {
		growing := true
		if n%5 == 0 { // looked at first, so that nothing is missed
			if growing, err = s.growing(id, file); err != nil {
				return nil
			}
		}
		if from, err = out.grown(f, from, !growing); err != nil {
			return nil
		}
		if !growing {
			_ = out.send("over", s.after(id, file))
			return nil
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-tick.C:
		}
		if n%50 == 49 && out.beat() != nil {
			return nil
		}
	}
}

// after is the log of the try after the one whose log ended, "" if there is none.
func (s *Server) after(id, file string) map[string]string {
	files, err := s.filesOf(id)
	if err != nil {
		return nil
	}
	if last := lastLog(files); last != file && !strings.HasSuffix(file, ".stderr") {
		return map[string]string{"next": last}
	}
	return map[string]string{}
}

// maxPiece bounds what is sent at once.
const maxPiece = 256 << 10

// grown sends what a file has from an offset on. A line without its end is sent
// only if the log is over.
func (o *stream) grown(f *os.File, from int64, over bool) (int64, error) {
	for {
		buf := make([]byte, maxPiece)
		n, err := f.ReadAt(buf, from)
		if err != nil && err != io.EOF {
			return from, err
		}
		text := string(buf[:n])
		if end := strings.LastIndexByte(text, '\n'); n < maxPiece && !over || end >= 0 && n == maxPiece {
			text = text[:end+1]
		}
		if text == "" {
			return from, nil
		}
		from += int64(len(text))
		if err := o.send("lines", piece{screen.Plain(text), from}); err != nil {
			return from, err
		}
	}
}
