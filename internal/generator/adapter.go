// Package generator starts the program that does the work of a try and says
// how it ended: what it was given, what it reported, and which category of
// failure that is, if any.
//
// It must never take a word of the generator for success, start anything from
// the tree that the generator writes in, or let a secret of the environment
// into a record.
package generator

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// A Channel is the way by which a prompt goes in. It is never an argument:
// those are short, and everybody on the machine can read them.
type Channel string

// The channels. A file's path stands for {prompt} in the arguments.
const (
	Stdin Channel = "stdin"
	File  Channel = "file"
)

// An Adapter is what looprun knows of one kind of generator. In its arguments
// {model}, {session}, {prompt} and {report} stand for what the try is given, in
// its variables {store} for the folder of its Store.
//
// It is a program that is given its prompt once and judged by what it left
// behind. One that is talked to while it runs would be another Channel, with
// the same Ending.
type Adapter struct {
	Name    string
	Command []string // where loop.yaml has none; the name without a slash is looked for in PATH
	Prompt  Channel

	// The arguments behind the command, in this order: First, Resume where a
	// session is gone on with, Model where one is chosen, Fenced or Open, what
	// Tune adds, Always.
	First, Resume, Model, Always []string
	// Fenced are for a start that looprun's sandbox confines, in which a program's
	// own cannot be set up, Open for one that nothing confines.
	Fenced, Open []string
	// Tune gives the arguments that depend on what stands in the store.
	Tune func(store string) []string
	// Env has settings such as those that cut the program's own retries. What
	// loop.yaml sets wins.
	Env map[string]string

	Store Store
	Login Login

	CanResume bool // a session can be gone on with
	Compact   bool // there is a turn that compacts a session

	// Read finds the terminal event in what the program printed. nil: the
	// program has none, and its report is its only word.
	Read func(stdout, stderr io.Reader) (Ending, error)
	// Cut tells, of a program whose events do not, whether its last answer was cut
	// off at the token limit. It looks into the store.
	Cut func(store *fsx.Dir, session string) bool
	// SumsUsage and SumsCost tell that a session that was resumed reports what it
	// took in all, the earlier tries included.
	SumsUsage, SumsCost bool

	Exits    map[int]recovery.Category // exit codes that mean one category
	Statuses map[int]int               // exit codes that stand for an HTTP status

	Tested  string // the version that all this was seen with
	Package string // where that version comes from
}

// An Ending is what a program's own terminal event tells.
type Ending struct {
	recovery.Event
	Summary      string
	SessionID    string
	Usage        *round.Usage // nil: not told
	Cost         *unit.Money  // nil: not told
	InnerRetries int          // how often the program tried again by itself
}

// Find returns the adapter of that name.
func Find(name string) (Adapter, bool) {
	i := slices.IndexFunc(adapters, func(a Adapter) bool { return a.Name == name })
	if i < 0 {
		return Adapter{}, false
	}
	return adapters[i], true
}

// Names lists the adapters.
func Names() []string {
	var names []string
	for _, a := range adapters {
		names = append(names, a.Name)
	}
	return names
}

// argv is the whole command of a try.
func (a Adapter) argv(s Start) []string {
	argv := slices.Clone(a.Command)
	if len(s.Command) > 0 {
		argv = slices.Clone(s.Command)
	}
	fill := strings.NewReplacer("{model}", s.Model, "{session}", s.ResumeID, "{prompt}", s.PromptPath, "{report}", s.ReportPath)
	add := func(args []string, wanted bool) {
		for _, arg := range args {
			if wanted {
				argv = append(argv, fill.Replace(arg))
			}
		}
	}
	add(a.First, true)
	add(a.Resume, s.ResumeID != "")
	add(a.Model, s.Model != "")
	add(a.Fenced, s.Confined)
	add(a.Open, !s.Confined)
	if a.Tune != nil {
		argv = append(argv, a.Tune(s.store())...)
	}
	add(a.Always, true)
	return Resolve(argv, s.Home)
}

// Resolve makes a command with a slash in its name absolute: such a name of
// loop.yaml is meant from loop.yaml's own folder. Taken from the tree of the
// agent it would be the agent's program.
func Resolve(argv []string, home string) []string {
	if len(argv) == 0 || filepath.IsAbs(argv[0]) || !strings.ContainsAny(argv[0], `/`+string(filepath.Separator)) {
		return argv
	}
	return append([]string{filepath.Join(home, filepath.FromSlash(argv[0]))}, argv[1:]...)
}
