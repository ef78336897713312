package event

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/recovery"
)

// Facts are what a CLI's adapter has to know besides its events.
type Facts struct {
	Expects  bool                      // it always ends with a terminal event
	Stderr   bool                      // the terminal event may stand on stderr
	Exits    map[int]recovery.Category // exit codes that have a meaning
	Statuses map[int]int               // exit codes that stand for an HTTP status
}

// A spec is how one CLI is read: what to do with an event by its type, and with
// an object that has none of these.
type spec struct {
	names []string
	facts Facts
	on    map[string]func(*Run, object)
	other func(*Run, object)
}

// specs is the table of CLIs. A name stands for every name that continues it
// after a hyphen: codex for codex-cli.
var specs = []spec{
	{
		names: []string{"codex"},
		facts: Facts{Expects: true},
		on: map[string]func(*Run, object){
			"thread.started": codexThread,
			"turn.started":   func(r *Run, _ object) { r.goesOn() },
			"item.completed": codexItem,
			"turn.completed": codexCompleted,
			"turn.failed":    codexFailed,
			"error":          codexError,
		},
	},
	{
		names: []string{"claude", "amp", "cursor", "droid", "codebuddy"},
		facts: Facts{Expects: true},
		on: map[string]func(*Run, object){
			"system":           claudeSystem,
			"assistant":        claudeAssistant,
			"user":             claudeUser,
			"rate_limit_event": claudeLimit,
			"result":           claudeResult,
		},
	},
	{
		names: []string{"qwen"},
		facts: Facts{Expects: true, Stderr: true, Exits: geminiExits},
		on: map[string]func(*Run, object){
			"system":    claudeSystem,
			"assistant": claudeAssistant,
			"user":      claudeUser,
			"result":    qwenResult,
		},
		other: geminiObject,
	},
	{
		names: []string{"opencode"},
		facts: Facts{Expects: true},
		on: map[string]func(*Run, object){
			"step_start":  func(r *Run, _ object) { r.goesOn() },
			"step_finish": opencodeFinish,
			"text":        opencodeText,
			"tool_use":    opencodeTool,
			"error":       opencodeError,
		},
	},
	{
		names: []string{"gemini"},
		facts: Facts{Expects: true, Stderr: true, Exits: geminiExits, Statuses: statusExits()},
		on: map[string]func(*Run, object){
			"init":        geminiInit,
			"message":     geminiMessage,
			"tool_use":    geminiTool,
			"tool_result": geminiToolResult,
			"error":       geminiError,
			"result":      geminiResult,
		},
		other: geminiObject,
	},
	{
		names: []string{"pi"},
		facts: Facts{Expects: true},
		on: map[string]func(*Run, object){
			"session":              func(r *Run, o object) { r.Session = o.text("id") },
			"agent_start":          func(r *Run, _ object) { r.goesOn() },
			"message_end":          piMessage,
			"tool_execution_start": func(r *Run, o object) { r.called(o.text("toolCallId"), o.text("toolName")) },
			"tool_execution_end":   piToolEnd,
			"agent_end":            piEnd,
			"auto_retry_start":     piRetry,
			"auto_retry_end":       piRetried,
		},
	},
	{
		names: []string{"cn", "continue"},
		facts: Facts{Expects: true, Stderr: true},
		other: cnObject,
	},
	{
		names: []string{"cline"},
		facts: Facts{Expects: true, Stderr: true},
		on: map[string]func(*Run, object){
			"agent_event": clineEvent,
			"run_result":  clineResult,
			"error":       func(r *Run, o object) { r.suspect(causeOf(o.text("message"))) },
		},
	},
	{
		names: []string{"copilot"},
		facts: Facts{Expects: true},
		on: map[string]func(*Run, object){
			"session.start":           func(r *Run, o object) { r.Session = o.at("data").text("sessionId") },
			"session.error":           func(r *Run, o object) { r.suspect(causeOf(map[string]any(o.at("data")))) },
			"assistant.turn_start":    func(r *Run, _ object) { r.goesOn() },
			"assistant.message":       copilotMessage,
			"tool.execution_complete": copilotToolEnd,
			"result":                  copilotResult,
		},
	},
	{
		// Programs that print text alone: only a last line that calls itself an
		// error tells of one.
		names: []string{"aider", "goose", "crush", "openhands", "swe"},
		facts: Facts{Expects: true},
	},
}

// anyCLI reads the last line of a program that is not known.
var anyCLI = spec{
	names: []string{"any"},
	on: map[string]func(*Run, object){
		"turn.completed": codexCompleted,
		"turn.failed":    codexFailed,
		"agent_end":      piEnd,
		"auto_retry_end": piRetried,
		"run_result":     clineResult,
		"error":          anyError,
		"result":         anyResult,
	},
	other: anyObject,
}

func lookup(cli string) *spec {
	cli = strings.ToLower(strings.TrimSpace(cli))
	for i := range specs {
		named := slices.ContainsFunc(specs[i].names, func(name string) bool {
			return cli == name || strings.HasPrefix(cli, name+"-") || strings.HasPrefix(cli, name+"_")
		})
		if named && !isAPI(cli) {
			return &specs[i]
		}
	}
	return &anyCLI
}

// isAPI reports a name of a model's API, whose answer is one body, not a run.
func isAPI(name string) bool {
	return name == "api" || strings.HasSuffix(name, "-api") || strings.HasSuffix(name, "_api")
}

// statusExits are the exit codes of a CLI that exits with the HTTP status of its
// last request, of which the system keeps one byte.
func statusExits() map[int]int {
	exits := map[int]int{}
	for _, span := range [][2]int{{400, 431}, {451, 451}, {500, 511}, {520, 530}} {
		for status := span[0]; status <= span[1]; status++ {
			exits[status%256] = status
		}
	}
	return exits
}
