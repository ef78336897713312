package event

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/unit"
)

// An object is one event as encoding/json decodes it. Its methods give zero
// values for what is missing or of another type.
type object map[string]any

func (o object) at(name string) object {
	inner, _ := o[name].(map[string]any)
	return inner
}

func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

func (o object) list(name string) []any {
	l, _ := o[name].([]any)
	return l
}

// objects are the objects in a list.
func (o object) objects(name string) []object {
	var all []object
	for _, e := range o.list(name) {
		if inner, ok := e.(map[string]any); ok {
			all = append(all, inner)
		}
	}
	return all
}

func (o object) truth(name string) bool {
	b, _ := o[name].(bool)
	return b
}

func (o object) has(name string) bool {
	v, ok := o[name]
	return ok && v != nil
}

// count is a number of things, 0 for what cannot be one.
func (o object) count(name string) int64 {
	f, _ := o[name].(float64)
	if !(f > 0 && f < 1e15) {
		return 0
	}
	return int64(f)
}

// dollars is an amount of money, false for what is none.
func (o object) dollars(name string) (unit.Money, bool) {
	f, ok := o[name].(float64)
	if !ok || !(f >= 0 && f < 1e9) {
		return 0, false
	}
	return unit.Money(math.Round(f * 1e6)), true
}

// cause reads a value that is an error.
func causeOf(v any) recovery.Cause {
	var c recovery.Cause
	c.Absorb(v)
	return c
}

// said is the cause that an error text tells.
func said(text string) recovery.Cause { return recovery.Cause{Text: text} }

// words are the texts in a content list of text blocks, or a plain string.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, e := range v {
			if block, ok := e.(map[string]any); ok {
				if text, ok := block["text"].(string); ok {
					parts = append(parts, text)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// clip bounds what is kept of a text.
func clip(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	at := maxMessage
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at]
}

func trim(s string) string { return strings.TrimSpace(s) }

// shells are the names of tools that run commands, in any of the CLIs.
var shells = []string{
	"bash", "sh", "shell", "zsh", "powershell", "terminal", "exec", "command", "exec_command", "execute_command",
	"command_execution", "local_shell", "shell_command", "run_command", "run_shell_command", "run_terminal_cmd", "run_terminal_command",
}

// shell reports a tool that runs commands.
func shell(tool string) bool { return slices.Contains(shells, strings.ToLower(tool)) }
