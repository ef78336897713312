package web

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/screen"
)

// Bounds of what a page shows of a log. The raw log is whole.
const (
	linesPerPage = 1000
	maxHits      = 500
	maxLine      = 4000 // characters
)

// A logPage is a part of a log.
type logPage struct {
	ID, File string
	Siblings []sibling
	Lines    []logLine
	Total    int // lines of the log
	Size     int64
	Page     int
	Pages    int
	Around   []int
	Query    string
	Hits     int // lines that hold the query
	End      int64
	Growing  bool // more may come
}

// At is the address of another page of the log.
func (p logPage) At(page int) string { return p.address("page", strconv.Itoa(page)) }

// Line is the address of a line.
func (p logPage) Line(n int) string {
	return p.address("line", strconv.Itoa(n)) + "#L" + strconv.Itoa(n)
}

// Raw is the address of the log itself.
func (p logPage) Raw() string {
	return "/tasks/" + p.ID + "/raw?" + url.Values{"file": {p.File}}.Encode()
}

// Follow is the address of what is added to the log.
func (p logPage) Follow() string {
	return "/tasks/" + p.ID + "/follow?" + url.Values{"file": {p.File}, "from": {strconv.FormatInt(p.End, 10)}}.Encode()
}

func (p logPage) address(name, value string) string {
	return "/tasks/" + p.ID + "/log?" + url.Values{"file": {p.File}, name: {value}}.Encode()
}

// A sibling is another file of the same task.
type sibling struct {
	File, Name string
	Size       int64
}

func (s *Server) log(w http.ResponseWriter, r *http.Request) error {
	p := logPage{ID: r.PathValue("id"), File: r.FormValue("file"), Query: strings.TrimSpace(r.FormValue("q"))}
	var err error
	if p.Siblings, err = s.filesOf(p.ID); err != nil {
		return err
	}
	if p.File == "" {
		p.File = lastLog(p.Siblings)
	}
	if p.File == "" {
		return &fault{http.StatusNotFound, p.ID + " has no logs: it was not started yet"}
	}
	f, err := s.openFile(p.ID, p.File)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.read(f, number(r, "page", 0), number(r, "line", 0)); err != nil {
		return err
	}
	if p.Growing, err = s.growing(p.ID, p.File); err != nil {
		return err
	}
	p.Growing = p.Growing && p.Page == p.Pages && p.Query == ""
	title := path.Base(path.Dir(p.File)) + "/" + path.Base(p.File) + " of " + p.ID
	return s.show(w, r, http.StatusOK, "log", view{Title: title, Here: "tasks", Body: p})
}

// growing reports that a generator or a check may be writing the file now: it
// belongs to the last round of a task that has not ended.
func (s *Server) growing(id, file string) (bool, error) {
	l, err := s.look()
	if err != nil {
		return false, err
	}
	defer l.close()
	h, _, err := l.history(id)
	if err != nil || h.State.Next == round.End {
		return false, err
	}
	return !slices.ContainsFunc(h.State.Rounds, func(r *round.Round) bool {
		return slices.ContainsFunc(r.Tries, func(p *round.Played) bool { return p.Try.Stdout.Path == file || p.Try.Stderr.Path == file })
	}), nil
}

// filesOf lists the files of a task's records, by path.
func (s *Server) filesOf(id string) ([]sibling, error) {
	l, err := s.look()
	if err != nil {
		return nil, err
	}
	defer l.close()
	if _, _, err := l.history(id); err != nil {
		return nil, err
	}
	base := filepath.Join(s.Loop, "tasks", id)
	var all []sibling
	err = filepath.WalkDir(filepath.Join(base, "attempts"), func(at string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(all) > 2000 {
			return nil
		}
		info, err := d.Info()
		rel, err2 := filepath.Rel(base, at)
		if err == nil && err2 == nil && path.Dir(filepath.ToSlash(rel)) != "attempts" {
			rel = filepath.ToSlash(rel)
			all = append(all, sibling{rel, strings.TrimPrefix(rel, "attempts/"), info.Size()})
		}
		return nil
	})
	return all, err
}

// lastLog is what the last try of the generator wrote.
func lastLog(files []sibling) string {
	last := ""
	for _, f := range files {
		base := path.Base(f.File)
		if strings.HasPrefix(base, "try-") && strings.HasSuffix(base, ".stdout") && path.Dir(f.File) >= path.Dir(last) {
			last = f.File
		}
	}
	return last
}

// read takes the page of a log that is asked for, the last one by default, or
// the lines that hold the query.
func (p *logPage) read(f *os.File, page, line int) error {
	total, size, err := countLines(f)
	if err != nil {
		return err
	}
	p.Total, p.Size, p.End = total, size, size
	p.Pages = max(1, (total+linesPerPage-1)/linesPerPage)
	switch {
	case line > 0:
		page = (line-1)/linesPerPage + 1
	case page < 1:
		page = p.Pages
	}
	p.Page = min(page, p.Pages)
	p.Around = around(p.Page, p.Pages)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	from, to := (p.Page-1)*linesPerPage, p.Page*linesPerPage
	query := strings.ToLower(p.Query)
	return eachLine(io.LimitReader(f, size), func(n int, text string) bool {
		switch {
		case query == "":
			if n > from && n <= to {
				p.Lines = append(p.Lines, newLogLine(n, text, ""))
			}
			return n < to
		case strings.Contains(strings.ToLower(screen.Plain(text)), query):
			if p.Hits++; p.Hits <= maxHits {
				p.Lines = append(p.Lines, newLogLine(n, text, query))
			}
		}
		return true
	})
}
