package cli

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"looprun.dev/looprun/internal/task"
)

// A newTask is a task that is given in flags.
type newTask struct {
	id, title, goal                        string
	verify, allow, protect, after, context []string
	priority                               int

	set *pflag.FlagSet
}

func (n *newTask) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("task", pflag.ContinueOnError)
	n.set = f
	f.StringVar(&n.goal, "goal", "", "what is to be reached, `TEXT` with all that the agent has to know")
	f.StringVar(&n.id, "id", "", "the task's `ID`; else it is made of the title or the goal")
	f.StringVar(&n.title, "title", "", "one line for people, `TEXT`")
	f.StringArrayVar(&n.verify, "verify", nil, "`PROFILE` of loop.yaml that must pass; may be repeated, as the four below")
	f.StringArrayVar(&n.allow, "allow", nil, "`GLOB` of paths that may be changed")
	f.StringArrayVar(&n.protect, "protect", nil, "`GLOB` of paths that may not")
	f.StringArrayVar(&n.after, "after", nil, "`ID` of a task that has to be done first")
	f.StringArrayVar(&n.context, "context", nil, "`PATH` that the agent should read first")
	f.IntVar(&n.priority, "priority", 0, "`N`: what is higher is taken first")
	return f
}

// given reports that any of the flags was.
func (n *newTask) given() (given bool) {
	n.set.VisitAll(func(f *pflag.Flag) { given = given || f.Changed })
	return given
}

// file is the task as a file of its own. taken tells which ids are gone.
func (n *newTask) file(taken func(id string) (bool, error)) (taskFile, error) {
	t := task.Task{
		ID: n.id, Title: n.title, Goal: n.goal, Verify: n.verify, Allow: n.allow, Protect: n.protect,
		After: n.after, Context: n.context, Priority: n.priority,
	}
	if t.ID == "" {
		var err error
		if t.ID, err = freeID(n.title+" "+n.goal, taken); err != nil {
			return taskFile{}, err
		}
	}
	data, err := json.MarshalIndent(t, "", "  ")
	return taskFile{"the task", t.ID, append(data, '\n')}, err
}

// freeID makes an id of the first words of text, with a number where another
// task has it.
func freeID(text string, taken func(id string) (bool, error)) (string, error) {
	stem := slug(text)
	if stem == "" {
		return "", errors.New("no id can be made of the goal: give one with --id")
	}
	for n := 1; ; n++ {
		id := stem
		if n > 1 {
			id += "." + strconv.Itoa(n)
		}
		gone, err := taken(id)
		if !gone || err != nil {
			return id, err
		}
	}
}

// slug is what of a text can stand in an id: its first words, in plain letters
// and digits. Follow-ups end in -2, so a word that is a number is left out at
// the end.
func slug(text string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	id := ""
	for _, w := range words {
		if len(id)+1+len(w) > most {
			break
		}
		id = strings.TrimPrefix(id+"-"+w, "-")
	}
	for {
		head, last, ok := cutLast(id, "-")
		if _, err := strconv.Atoi(last); !ok || err != nil {
			break
		}
		id = head
	}
	if code, _ := task.CheckID(id); code != "" {
		return ""
	}
	return id
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
