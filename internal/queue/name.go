package queue

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"looprun.dev/looprun/internal/task"
)

const suffix = ".json"

func stem(name string) string { return strings.TrimSuffix(name, suffix) }

// A sort of name decides what a file is before anything is asked about it.
type sort int

const (
	ignored sort = iota // not meant for looprun, or not yet
	strange             // meant for it, perhaps, but no name to work with
	offered             // a task, or to be quarantined
)

// A name longer than this leaves no room for the endings that quarantine adds.
const maxName = 200

// sortOf knows editors' and copiers' temporaries by the letter they start with.
func sortOf(name string) sort {
	switch {
	case name == "" || strings.ContainsRune(".#~", rune(name[0])):
		return ignored
	case !strings.HasSuffix(name, suffix):
		if strings.EqualFold(name[max(0, len(name)-len(suffix)):], suffix) {
			return strange
		}
		return ignored
	case len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return strange
	}
	return offered
}

// isTaskName tells names that a claimed task can have.
func isTaskName(name string) bool {
	code, _ := task.CheckID(stem(name))
	return code == "" && sortOf(name) == offered
}

const reasonSuffix = ".reason.json"

// reasonName is the file that says why the file name was quarantined.
func reasonName(name string) string { return stem(name) + reasonSuffix }

// isReason tells reasons in blocked from the files that they speak of. No task
// has such a name.
func isReason(name string) bool { return strings.HasSuffix(name, reasonSuffix) }

// explained is the file that a reason speaks of.
func explained(reason string) string { return strings.TrimSuffix(reason, reasonSuffix) + suffix }

// dupName is the nth name for a further file of a task.
func dupName(name string, n int) string { return fmt.Sprintf("%s.dup-%d%s", stem(name), n, suffix) }

// original is the name that a dupName was made of.
func original(name string) (string, bool) {
	at := strings.LastIndex(name, ".dup-")
	if at < 0 {
		return "", false
	}
	n, err := strconv.Atoi(stem(name[at+len(".dup-"):]))
	if err != nil || dupName(name[:at]+suffix, n) != name {
		return "", false
	}
	return name[:at] + suffix, true
}

// followed is the id that a follow-up's id was made of, as t1 of t1-2.
func followed(id string) (string, bool) {
	at := strings.LastIndexByte(id, '-')
	if at <= 0 {
		return "", false
	}
	n, err := strconv.Atoi(id[at+1:])
	if err != nil || n < 2 || strconv.Itoa(n) != id[at+1:] {
		return "", false
	}
	return id[:at], true
}
