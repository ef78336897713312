package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// perPage is how many tasks a page of the list has.
const perPage = 50

// A listing is one page of the tasks.
type listing struct {
	Stage  task.Stage // "": all of them
	Query  string
	Tabs   []tab
	Tasks  []entry
	Total  int
	Page   int
	Pages  int
	Around []int // pages to go to; 0 is a gap
}

// A tab is a stage to choose, with how many tasks are in it.
type tab struct {
	Stage task.Stage
	Word  string
	Count int
}

// At is the address of another page of the same list.
func (l listing) At(page int) string { return l.address(l.Stage, page) }

// In is the address of the same list of another stage.
func (l listing) In(stage task.Stage) string { return l.address(stage, 1) }

func (l listing) address(stage task.Stage, page int) string {
	q := url.Values{}
	if stage != "" {
		q.Set("stage", string(stage))
	}
	if l.Query != "" {
		q.Set("q", l.Query)
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return "/tasks"
	}
	return "/tasks?" + q.Encode()
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	v := listing{Stage: task.Stage(r.FormValue("stage")), Query: strings.TrimSpace(r.FormValue("q")), Page: 1}
	if v.Stage != "" && !slices.Contains(task.Stages[:], v.Stage) {
		return &fault{http.StatusNotFound, "there is no stage " + strconv.Quote(string(v.Stage))}
	}
	if n, err := strconv.Atoi(r.FormValue("page")); err == nil && n > 1 {
		v.Page = n
	}
	l, err := s.look()
	if err != nil {
		return err
	}
	defer l.close()
	if err := s.tabs(&v); err != nil {
		return err
	}
	stages := task.Stages[:]
	if v.Stage != "" {
		stages = []task.Stage{v.Stage}
	}
	found, err := s.index.matching(stages, v.Query)
	if err != nil {
		return err
	}
	for _, f := range v.cut(found) {
		v.Tasks = append(v.Tasks, l.entry(f))
	}
	return s.show(w, r, http.StatusOK, "list", view{Title: "Tasks", Here: "tasks", Live: "*", Version: l.at, Body: v})
}

func (s *Server) tabs(v *listing) error {
	all := tab{Word: "all"}
	for _, stage := range boardOrder {
		files, err := s.index.of(stage)
		if err != nil {
			return err
		}
		v.Tabs = append(v.Tabs, tab{stage, stageState(stage).Word, len(files)})
		all.Count += len(files)
	}
	v.Tabs = append([]tab{all}, v.Tabs...)
	return nil
}

// cut is the page of what was found; a page behind the last is the last.
func (l *listing) cut(found []placed) []placed {
	l.Total, l.Pages = len(found), max(1, (len(found)+perPage-1)/perPage)
	l.Page = min(l.Page, l.Pages)
	l.Around = around(l.Page, l.Pages)
	from := (l.Page - 1) * perPage
	return found[from:min(len(found), from+perPage)]
}

// around are the first page, the last, and those beside the one that is shown.
func around(page, pages int) []int {
	var all []int
	for n := 1; n <= pages; n++ {
		switch {
		case n == 1, n == pages, n >= page-2 && n <= page+2:
			all = append(all, n)
		case all[len(all)-1] != 0:
			all = append(all, 0)
		}
	}
	return all
}
