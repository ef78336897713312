package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// RequestSchema names the form of request.json.
const RequestSchema = "looprun.request/1"

// A Request is what request.json tells a generator that reads more than the
// prompt. It holds no time, try or run id, so that a plain retry is given the
// same bytes again.
type Request struct {
	Schema     string          `json:"schema"`
	TaskID     string          `json:"task_id"`
	Round      int             `json:"round"`
	Title      string          `json:"title"`
	Goal       string          `json:"goal"`
	Allow      []string        `json:"allow"`
	Protect    []string        `json:"protect"`
	Context    []string        `json:"context"`
	Operations []string        `json:"operations,omitempty"` // effects outside that the task is about
	Model      string          `json:"model"`
	Strategy   Strategy        `json:"strategy"`
	Plan       *Plan           `json:"plan"` // null in the first round
	Answer     string          `json:"answer,omitempty"`
	Inject     string          `json:"inject,omitempty"`
	BestRound  int             `json:"best_round"`      // 0: none was verified
	Extra      json.RawMessage `json:"extra,omitempty"` // what a strategy's command added
}

// A Strategy is the last one other than a plain retry: empty at first.
type Strategy struct {
	Name string `json:"name"`
	Mode string `json:"mode"`
	Why  string `json:"why"`
}

// A Plan is the plan of the round, by its path and as it stands there.
type Plan struct {
	Path    string          `json:"path"`
	Content json.RawMessage `json:"content"`
}

// Render gives the bytes of request.json. Equal requests give equal bytes,
// whatever space the plan's content came with. The schema is filled in.
func (r Request) Render() ([]byte, error) {
	r.Schema = RequestSchema
	for _, list := range []*[]string{&r.Allow, &r.Protect, &r.Context} {
		if *list == nil {
			*list = []string{}
		}
	}
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("render request of %s: %w", r.TaskID, err)
	}
	return w.Bytes(), nil
}
