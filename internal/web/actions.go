package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/screen"
	"looprun.dev/looprun/internal/task"
)

// acts lets an action through: only where actions are offered, from a form that
// was made for this browser.
func (s *Server) acts(p page) page {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.Write {
			return &fault{http.StatusForbidden, "these pages only show: looprun serve --write offers actions"}
		}
		if err := r.ParseForm(); err != nil {
			return &fault{http.StatusBadRequest, "the form can't be read: " + err.Error()}
		}
		if !s.guard.sealed(r) {
			return &fault{http.StatusForbidden, "the form is too old: go back, reload the page and try again"}
		}
		return p(w, r)
	}
}

// done tells what a command said on the page to go to, and goes there.
func (s *Server) done(w http.ResponseWriter, r *http.Request, said Said, text, to string) error {
	n := note{Text: text}
	if said.Kind != OK {
		n = note{Text: screen.Plain(said.fault().Error()), Bad: true, Draft: r.PostFormValue("text")}
	}
	s.guard.leave(s.guard.session(w, r), n)
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// follower is where an action about a task leads to: the task that it made, or the
// one that it was about.
func follower(id string, said Said) string {
	var made struct {
		ID string `json:"id"`
	}
	if said.Kind == OK && json.Unmarshal(said.Out, &made) == nil && made.ID != "" {
		return made.ID
	}
	return id
}

func taskOf(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if code, _ := task.CheckID(id); code != "" {
		return "", noTask(id)
	}
	return id, nil
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	id, err := taskOf(r)
	if err != nil {
		return err
	}
	said := s.desk.Answer(id, strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n"), r.PostFormValue("approve") != "")
	next := follower(id, said)
	return s.done(w, r, said, "Answered: "+next+" goes on with it.", "/tasks/"+next)
}

func (s *Server) retry(w http.ResponseWriter, r *http.Request) error {
	id, err := taskOf(r)
	if err != nil {
		return err
	}
	rounds := 0
	if text := strings.TrimSpace(r.PostFormValue("rounds")); text != "" {
		if rounds, err = strconv.Atoi(text); err != nil {
			return s.done(w, r, Said{Kind: Refused, Faults: []byte("more rounds: give a whole number")}, "", "/tasks/"+id)
		}
	}
	said := s.desk.Retry(id, rounds, strings.TrimSpace(r.PostFormValue("cost")))
	next := follower(id, said)
	return s.done(w, r, said, "Tried again as "+next+".", "/tasks/"+next)
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request) error {
	id, err := taskOf(r)
	if err != nil {
		return err
	}
	said := s.desk.Cancel(r.Context(), id)
	text := "Cancelled: " + id + " ends, its records stay."
	var answer struct {
		Cancelled string `json:"cancelled"`
	}
	if json.Unmarshal(said.Out, &answer) == nil && answer.Cancelled == "asked" {
		text = "The instance that runs was asked to end " + id + "."
	}
	return s.done(w, r, said, text, "/tasks/"+id)
}

func (s *Server) pause(w http.ResponseWriter, r *http.Request) error {
	said := s.desk.Pause(strings.TrimSpace(r.PostFormValue("reason")), strings.TrimSpace(r.PostFormValue("until")))
	return s.done(w, r, said, "Paused: nothing new is started.", "/")
}

func (s *Server) resume(w http.ResponseWriter, r *http.Request) error {
	return s.done(w, r, s.desk.Resume(), "Resumed: the next run goes on.", "/")
}

// A draft is the form for a new task as it was filled in.
type draft struct {
	ID, Title, Goal, Verify, Text string
	Fault                         string
}

func (s *Server) addForm(w http.ResponseWriter, r *http.Request) error {
	if !s.Write {
		return &fault{http.StatusForbidden, "these pages only show: looprun serve --write offers actions"}
	}
	return s.show(w, r, http.StatusOK, "add", view{Title: "New task", Here: "add", Body: draft{}})
}

// add takes a task as fields or as JSON. What is wrong with it is told above
// the form, which keeps what was typed.
func (s *Server) add(w http.ResponseWriter, r *http.Request) error {
	d := draft{
		ID: strings.TrimSpace(r.PostFormValue("id")), Title: strings.TrimSpace(r.PostFormValue("title")),
		Goal: strings.ReplaceAll(r.PostFormValue("goal"), "\r\n", "\n"), Verify: r.PostFormValue("verify"), Text: r.PostFormValue("text"),
	}
	data := []byte(d.Text)
	if strings.TrimSpace(d.Text) == "" {
		t := task.Task{ID: d.ID, Title: d.Title, Goal: d.Goal, Verify: strings.FieldsFunc(d.Verify, func(r rune) bool { return r == ',' || r == ' ' })}
		var err error
		if data, err = json.MarshalIndent(t, "", "  "); err != nil {
			return err
		}
	}
	said := s.desk.Add(data)
	if said.Kind != OK {
		d.Fault = screen.Plain(said.fault().Error())
		return s.show(w, r, http.StatusUnprocessableEntity, "add", view{Title: "New task", Here: "add", Body: d})
	}
	id := follower("", said)
	return s.done(w, r, said, "Added: "+id+" waits in the inbox.", "/tasks/"+id)
}
