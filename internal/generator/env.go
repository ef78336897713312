package generator

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Env says what of looprun's own environment a generator gets, and what
// else. Nothing that it does not name is inherited.
type Env struct {
	Pass   []string          // names
	Set    map[string]string // wins over Pass
	Lookup func(name string) (string, bool)
}

// values are the variables by name, before looprun adds its own.
func (e Env) values() map[string]string {
	m := map[string]string{}
	for _, name := range e.Pass {
		if e.Lookup == nil {
			break
		}
		if v, ok := e.Lookup(name); ok {
			m[name] = v
		}
	}
	maps.Copy(m, e.Set)
	return m
}

// environ is the whole environment of a try, sorted. What looprun says of the
// try wins over a setting of the same name, and so does the task's own folder
// over the user's, from which it is filled.
func (s Start) environ() []string {
	m := map[string]string{}
	store := s.store()
	for name, v := range s.Adapter.Env {
		if store != "" || !strings.Contains(v, storeMark) {
			m[name] = strings.ReplaceAll(v, storeMark, store)
		}
	}
	maps.Copy(m, s.Env.values())
	if v := s.Adapter.Store.Var; v != "" && store != "" {
		m[v] = store
	}
	maps.Copy(m, s.variables())
	list := make([]string, 0, len(m))
	for name, v := range m {
		list = append(list, name+"="+v)
	}
	slices.Sort(list)
	return list
}

// variables are what a try is told of itself. The run id is not among them:
// it marks the processes, and so is set where they are started.
func (s Start) variables() map[string]string {
	m := map[string]string{
		"LOOPRUN_REQUEST":         s.RequestPath,
		"LOOPRUN_PROMPT_FILE":     s.PromptPath,
		"LOOPRUN_REPORT":          s.ReportPath,
		"LOOPRUN_EFFECTS_FILE":    s.EffectsPath,
		"LOOPRUN_TASK_ID":         s.TaskID,
		"LOOPRUN_ROUND":           strconv.Itoa(s.Round),
		"LOOPRUN_TRY":             strconv.Itoa(s.Try),
		"LOOPRUN_STRATEGY":        string(s.Strategy),
		"LOOPRUN_MODEL":           s.Model,
		"LOOPRUN_RESUME_ID":       s.ResumeID,
		"LOOPRUN_DEADLINE":        s.Deadline.UTC().Format(time.RFC3339),
		"LOOPRUN_IDEMPOTENCY_KEY": s.IdempotencyKey,
	}
	if s.PlanPath != "" {
		m["LOOPRUN_PLAN"] = s.PlanPath
	}
	if s.TraceParent != "" {
		m["TRACEPARENT"] = s.TraceParent
	}
	return m
}
