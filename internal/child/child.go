// Package child starts programs and leaves nothing of them behind. It is the
// only package that may exec. It owns the whole tree of processes of a command,
// its limits, the capture of its output and the removal of secrets from it. It
// must never read its own environment into a child, wait without a bound for
// something that a child can hold up, or signal a process that it has not
// recognised.
package child

import "time"

// A Cmd is one program to run. The zero value of each field but Argv is usable.
type Cmd struct {
	// Argv is the command and its arguments. A name without a slash is looked
	// for in the PATH of Env, where relative entries do not count; a relative
	// path is taken from Dir.
	Argv []string
	// Wrap is put before Argv, for a launcher that ends in an exec of the rest.
	// NotFound still speaks of Argv alone.
	Wrap []string
	Dir  string
	// Env is the whole environment: nothing is inherited.
	Env []string
	// Stdin is written, then closed; a child that does not read it is no fault.
	// Without it stdin is the null device, never the terminal.
	Stdin []byte

	// Wall limits the time of the whole run, Silence the time without a sign of
	// life. 0 is no limit. Time that the machine sleeps is not charged.
	Wall, Silence time.Duration
	// Grace is the time between TERM and KILL: 0 is 10 seconds, below 0 is none.
	Grace time.Duration
	// Active returns the time of the last sign of life other than output. It is
	// asked a few times within Silence and must return soon.
	Active func() time.Time

	// Stdout and Stderr are the paths of raw logs, "" is none. Of a longer
	// stream than MaxOutput (0 is 64 MiB) a log holds head and tail with a line
	// between them that tells how many bytes were left out.
	Stdout, Stderr string
	MaxOutput      int64
	// Keep is how many bytes of head and tail together of each stream are kept
	// in memory.
	Keep int

	// RunID marks all processes of the run: it is put in the environment as
	// LOOPRUN_RUN_ID, and whatever carries it is ended with the run. It must be
	// unique. Without it only the process group is looked after.
	RunID string
	// Redact has values that are replaced by "[redacted]" before anything
	// reaches disk or memory, also in the form that JSON gives them. Values
	// under 8 bytes are left, since they stand in too many texts by chance.
	Redact []string
	// Started is called once, when the command runs.
	Started func(Proc)

	// level keeps a test from using more than it asks for.
	level string
}

// A Proc is a process that can be recognised after looprun itself has died: a
// pid alone may belong to another process by then.
type Proc struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // in the unit of the system, comparable within one boot
	Boot  string `json:"boot"`
}

// How a run ended. What looprun itself ended keeps its name whatever the exit
// code says: a killed program may exit 0.
const (
	Exit        = "exit"        // by itself, with an exit code
	Signal      = "signal"      // by a signal that looprun did not send
	Timeout     = "timeout"     // Wall was used up
	Silence     = "silence"     // no sign of life for Silence
	Interrupted = "interrupted" // the context was cancelled
)

// How far looprun can be sure of having ended every process of a run.
const (
	Cgroup    = "cgroup"    // the kernel keeps the list
	Subreaper = "subreaper" // orphans come to looprun, which knows them
	Group     = "group"     // only those in the process group, and what carries the run id
	Job       = "job"       // a job object of Windows
)

// A Result is what became of a run.
type Result struct {
	Ended    string
	ExitCode int    // -1 if a signal ended the command
	Signal   string // as "SIGSEGV"
	Started  time.Time
	Duration time.Duration // monotonic
	// NotFound tells that the command is missing or not executable, and nothing
	// ran. The exit code is then 127 or 126, as a shell would have it. Where a
	// Sandbox kept it from starting, Stderr says so if Keep is not 0.
	NotFound       bool
	Stdout, Stderr Stream
	// ProcessesEnded counts the processes other than the command itself that
	// were alive at its end and had to be ended.
	ProcessesEnded int
	Level          string
}

// A Stream is what became of stdout or stderr.
type Stream struct {
	Total     int64  // bytes that the child wrote
	Bytes     int64  // bytes of the log
	SHA256    string // of the log
	Head      []byte // the first bytes of the redacted stream, and
	Tail      []byte // the last ones: without overlap, and gapless if Keep was enough
	Truncated bool   // the log leaves out a part
	LastWrite time.Time
}
