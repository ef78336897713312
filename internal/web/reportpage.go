package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"looprun.dev/looprun/internal/screen"
)

// A reportFile is a report that stands alone: its style is in it, and nothing
// else may be loaded or run.
type reportFile struct {
	Report
	Style  template.CSS
	Policy string
}

// WriteReport writes a report as one HTML file that needs nothing beside it.
func WriteReport(w io.Writer, rep Report) error {
	p, err := parsePages()
	if err != nil {
		return err
	}
	f := reportFile{Report: rep}
	var style []byte
	for _, name := range []string{"app.css", "report.css"} {
		data, err := assets.ReadFile("static/" + name)
		if err != nil {
			return fmt.Errorf("read assets: %w", err)
		}
		style = append(style, data...)
	}
	f.Style = template.CSS(style) // #nosec: it is our own file
	sum := sha256.Sum256(style)
	f.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	var b bytes.Buffer
	if err := p.byName["report"].ExecuteTemplate(&b, "file", f); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err = io.WriteString(w, screen.Printable(b.String()))
	return err
}

// A reportPage is the report within the frame.
type reportPage struct {
	Report
	Last string // the length of the period as it was asked for
}

// lately is the length of a report that nobody gave one.
const lately = "7d"

// report is the page of the report, of the time that since gives.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	last := r.FormValue("since")
	if last == "" {
		last = lately
	}
	length, err := ParseLength(last)
	if err != nil {
		return &fault{http.StatusBadRequest, "since: " + err.Error()}
	}
	s.reporting.Lock()
	defer s.reporting.Unlock()
	now := s.Now()
	rep, err := s.survey(Period{now.Add(-length), now.Add(time.Nanosecond)})
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "report", view{Title: "Report", Here: "report", Body: reportPage{rep, last}})
}
