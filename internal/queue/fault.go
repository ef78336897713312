package queue

import (
	"fmt"

	"looprun.dev/looprun/internal/task"
)

// The codes of faults that only the directory can have; those of contents are
// the task package's.
const (
	CodeUnreadable = "unreadable"   // looprun may not read it
	CodeDuplicate  = "duplicate_id" // another stage has a task of this id
	CodeIDUsed     = "id_used"      // a task of this id was claimed before
)

// The codes of warnings: files that are left where they are, and an inbox that
// went away.
const (
	WarnStrangeName = "strange_name"
	WarnNotRegular  = "not_a_file" // a link, pipe, socket, device or directory
	WarnOtherName   = "has_another_name"
	WarnReadError   = "read_error"
	WarnGrowing     = "still_growing"
	WarnInbox       = "inbox_unfit"
)

// A Warning names something that was left alone. Each is told once.
type Warning struct {
	Name string `json:"name,omitempty"`
	Code string `json:"code"`
	Msg  string `json:"msg"`
}

// String quotes the name: it may hold anything.
func (w Warning) String() string {
	if w.Name == "" {
		return w.Msg
	}
	return fmt.Sprintf("%q: %s", w.Name, w.Msg)
}

func faultOf(name, code, format string, args ...any) []task.Fault {
	return []task.Fault{{File: name, Code: code, Msg: fmt.Sprintf(format, args...)}}
}

// hints say what a person can do about a file that was quarantined.
var hints = map[string]string{
	CodeIDUsed:        "history is never reopened: use `looprun answer %[1]s` or `looprun retry %[1]s`, which start a follow-up, or give the file another id",
	CodeDuplicate:     "give the file another id and name, and move it to inbox",
	CodeUnreadable:    "let looprun's user read the file, and move it back to inbox",
	task.CodeTooLarge: "a task names what to do in a few lines; put long material in files of the repository and list them under context",
	task.CodeCycle:    "take one of the tasks out of the circle of `after`, and move the others back to inbox",
}

func hintFor(name string, faults []task.Fault) string {
	for _, f := range faults {
		if hint, ok := hints[f.Code]; ok && (f.Code == CodeIDUsed) {
			return fmt.Sprintf(hint, stem(name))
		} else if ok {
			return hint
		}
	}
	return "correct the file and move it back to inbox"
}
