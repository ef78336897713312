// Package config owns loop.yaml: its strict reading with the place of every
// fault, its defaults, and the policy that follows from it for one task. It
// changes nothing on disk and starts nothing.
package config

import (
	"path/filepath"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/unit"
)

// FileName is what the file is called where nobody says otherwise.
const FileName = "loop.yaml"

// Version is the number that loop.yaml's version may have.
const Version = 1

// A Config is the meaning of one loop.yaml, with the built-in value wherever
// the file gives none. It mirrors the sections of the file.
type Config struct {
	Queue        Queue
	Workspace    Workspace
	Land         Land
	Generator    Generator
	Verification Verification
	Boundary     round.Boundary // without the lists of a task
	Stop         Stop
	Recovery     Recovery
	Effects      map[string]round.Effect
	Sandbox      Sandbox
	Hooks        Hooks
	Metrics      Metrics
	Records      Records
	Engine       map[string]any // texts, lists and maps, as written

	// Dir is loop.yaml's folder. Relative paths in the file start there.
	Dir string

	file   string
	places map[string]place
}

// A Queue says how tasks are taken from tasks/.
type Queue struct {
	Concurrency int
	Rescan      unit.Duration
	Watch       string // auto, events, poll
	MaxUnmerged int    // 0: no limit
	DiskFloor   unit.Size
}

// The modes of a workspace.
const (
	Isolated = "isolated"
	InPlace  = "in_place"
)

// A Workspace says where the generator works.
type Workspace struct {
	Mode           string // Isolated, InPlace
	Base           string
	Dir            string // "": the user's state directory
	Setup          []Setup
	Share          []string
	AllowNetworkFS bool
}

// A Setup is a command that makes a new tree ready. It runs again only when
// one of its inputs has changed.
type Setup struct {
	Run     []string
	Inputs  []string
	Timeout unit.Duration
}

// A Land says what becomes of an accepted candidate.
type Land struct {
	Mode   string // branch, merge, patch, none; in place: none, commit
	Branch string // with {id}
}

// A Generator is the coding agent and its bounds.
type Generator struct {
	Adapter    string
	Command    []string // empty: the adapter's own
	Models     []string
	Resume     bool // the adapter's own, unless Origin says that the file gives it
	Timeout    unit.Duration
	Silence    unit.Duration
	Grace      unit.Duration
	Probe      []string
	Summarizer []string
	Env        Env
}

// An Env is what a child gets of the environment, and what it gets besides.
type Env struct {
	Pass []string
	Set  map[string]string
}

// A Verification is what decides whether a candidate is accepted.
type Verification struct {
	Profiles    map[string][]round.Check
	Always      []string
	Baseline    bool
	Canary      bool
	CanarySkip  map[string]string // profile: reason
	FlakyReruns int
	Env         Env
	Masks       []round.Mask
}

// A Stop bounds a task. Every bound is finite.
type Stop struct {
	MaxRounds   int
	SameFailure int
	MaxTries    int
	WallClock   unit.Duration
	Deadline    unit.Duration
	MaxTokens   int64
	Cost        unit.Money
	MinTryCost  unit.Money
	DailyCost   unit.Money
}

// A Recovery says what follows from failures. Chains holds every category that
// has a chain, built in or from the file.
type Recovery struct {
	Backoff     recovery.Backoff
	InlineWait  unit.Duration
	Hold        unit.Duration
	Breaker     recovery.Breaker
	RetryBudget recovery.Budget
	Chains      map[recovery.Category]recovery.Chain
	Patterns    []recovery.Pattern
	Strategies  map[recovery.Strategy]round.Command
}

// A Sandbox confines the generator, the checks and the setup commands.
type Sandbox struct {
	Mode    string   // auto, require, off
	Read    []string // added to what looprun opens by itself
	Write   []string
	Network string // open, none
}

// Hooks are commands that are told what happened, one command a kind.
type Hooks struct {
	Done        []string
	Blocked     []string
	NeedsInput  []string
	Held        []string
	BreakerOpen []string
	Webhook     string // a URL
}

// Metrics says where numbers are written for a collector.
type Metrics struct {
	TextfileDir string
}

// Records bounds what is kept.
type Records struct {
	Keep      unit.Duration
	MaxOutput unit.Size
	Redact    []string // patterns of names of variables whose values are secret
}

// A place is where a value stands in the file.
type place struct{ line, col int }

// Origin is the line of loop.yaml that gives the setting of that path, such as
// stop.max_tries; false means that the value is built in.
func (c Config) Origin(path string) (line int, given bool) {
	at, ok := c.places[path]
	return at.line, ok
}

// Resolve makes a path of the file absolute.
func (c Config) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.Dir, path)
}

// Argv is a command that looprun itself starts, such as the generator: a name
// with a slash is taken from loop.yaml's folder, never from the agent's tree.
func (c Config) Argv(command []string) []string {
	if len(command) == 0 || !hasSlash(command[0]) {
		return command
	}
	return append([]string{c.Resolve(command[0])}, command[1:]...)
}
