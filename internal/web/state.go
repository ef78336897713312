package web

import "looprun.dev/looprun/internal/task"

// A state is where a task stands, in one word: what it is called on pages and
// the class that gives it its colour. Colour never stands alone.
type state struct{ Class, Word string }

var (
	quarantined = state{"blocked", "quarantined"}
	unknown     = state{"idle", "unknown"}
)

var stageStates = map[task.Stage]state{
	task.Inbox:           {"idle", "inbox"},
	task.Processing:      {"work", "in work"},
	task.Done:            {"done", "done"},
	task.BlockedStage:    {"blocked", "blocked"},
	task.NeedsInputStage: {"asks", "needs input"},
}

func stageState(stage task.Stage) state { return stageStates[stage] }

var phaseStates = map[string]state{
	"claimed":     {"work", "claimed"},
	"preflight":   {"work", "preflight"},
	"generating":  {"work", "generating"},
	"verifying":   {"work", "verifying"},
	"landing":     {"work", "landing"},
	"round_ready": {"work", "next round ready"},
	"deferred":    {"wait", "deferred"},
	"held":        {"wait", "held"},
	"finished":    {"idle", "finished"},
}

func phaseState(phase string) state {
	if s, ok := phaseStates[phase]; ok {
		return s
	}
	return state{"work", phase}
}

var decisionStates = map[task.Decision]state{
	task.Completed:   {"done", "completed"},
	task.Retry:       {"again", "retry"},
	task.NeedsInput:  {"asks", "needs input"},
	task.Blocked:     {"blocked", "blocked"},
	task.Held:        {"wait", "held"},
	task.Observe:     {"work", "observe"},
	task.Compensate:  {"work", "compensate"},
	task.Interrupted: {"idle", "interrupted"},
}

func decisionState(d task.Decision) state {
	if s, ok := decisionStates[d]; ok {
		return s
	}
	return unknown
}
