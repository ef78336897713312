package loop

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/generator"
	"looprun.dev/looprun/internal/plan"
	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
)

// told is what the generator reads: request.json, the prompt, and from round 2
// on the path of its plan.
func (h *host) told(s round.State, x fsx.Scratch) (request, prompt []byte, planPath string, err error) {
	if err := x.MkdirAll(""); err != nil {
		return nil, nil, "", err
	}
	r := generator.Request{
		TaskID: s.Task.ID, Round: s.Round, Title: s.Task.Title, Goal: s.Task.Goal,
		Allow: s.Task.Allow, Protect: s.Task.Protect, Context: s.Task.Context, Operations: s.Task.Operations,
		Model: s.Request.Model, Answer: answer(s), Inject: s.Request.Inject, Extra: s.Request.Extra,
		Strategy: generator.Strategy{Name: string(s.Request.Strategy), Mode: s.Request.Mode, Why: s.Request.Why},
	}
	if len(r.Allow) == 0 {
		r.Allow = s.Policy.Boundary.Allow
	}
	if r.Plan, err = givePlan(s, x); err != nil {
		return nil, nil, "", err
	}
	if r.Plan != nil {
		planPath = r.Plan.Path
	}
	request, err = r.Render()
	return request, []byte(h.prompt(s)), planPath, err
}

// givePlan writes the plan of the round where the generator can read it; nil
// where the round has none.
func givePlan(s round.State, x fsx.Scratch) (*generator.Plan, error) {
	if s.Request.Plan == nil {
		return nil, nil
	}
	name := record.PlanFile(s.Round)
	content, err := planText(s.Request.Plan)
	if err == nil {
		err = x.RemoveAll(name) // a try before may have left a link there
	}
	if err == nil {
		err = x.WriteFile(name, content)
	}
	return &generator.Plan{Path: x.Path(name), Content: content}, err
}

// planText is a plan as a generator reads it.
func planText(p *plan.Plan) ([]byte, error) {
	content, err := json.MarshalIndent(p, "", "  ")
	return append(content, '\n'), err
}

// answer is a person's, where the task follows up one that asked.
func answer(s round.State) string {
	if f := s.Claimed.FollowUp; f != nil {
		return f.Answer
	}
	return ""
}

// keepTold keeps what the generator is given, before it can touch it.
func (h *host) keepTold(s round.State, start generator.Start) (request, prompt round.File, err error) {
	dir := roundDir(s.Round)
	request, err1 := h.keepFile(filepath.Join(dir, tryName("request", s)+".json"), start.Request)
	prompt, err2 := h.keepFile(filepath.Join(dir, tryName("prompt", s)+".md"), start.Prompt)
	return request, prompt, errors.Join(err1, err2)
}

// tryName tells the files of a later try of a round from those of its first.
func tryName(base string, s round.State) string {
	for _, r := range s.Rounds {
		if r.N == s.Round && len(r.Tries) > 0 {
			return base + "-t" + strconv.Itoa(s.Tries)
		}
	}
	return base
}

// keepFile writes a file below the task's records and returns what an event
// says of it.
func (h *host) keepFile(name string, data []byte) (round.File, error) {
	dir := fsx.Scratch(h.journal.Dir())
	if err := dir.MkdirAll(filepath.Dir(name)); err != nil {
		return round.File{}, err
	}
	if err := dir.WriteFile(name, data); err != nil {
		return round.File{}, err
	}
	return round.File{Path: filepath.ToSlash(name), SHA256: record.Digest(data), Bytes: int64(len(data))}, nil
}
