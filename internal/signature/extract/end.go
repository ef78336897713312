package extract

import (
	"strconv"
	"strings"
)

// end is how a command ended.
type end struct {
	code     int
	signal   string
	timedOut bool
}

// endOf brings the ways in which a signal is told to one: a name, a negative
// code, or a shell's 128+n. A code after a timeout is that of looprun's own
// signal and says nothing.
func endOf(in Output) end {
	switch {
	case in.TimedOut:
		return end{code: -1, timedOut: true}
	case in.Signal != "":
		return end{code: -1, signal: in.Signal}
	}
	n := 0
	switch {
	case in.ExitCode < 0:
		n = -in.ExitCode
	case in.ExitCode > 128:
		n = in.ExitCode - 128
	}
	if name, ok := signalNames[n]; ok {
		return end{code: -1, signal: name}
	}
	return end{code: in.ExitCode}
}

// signalNames are those that end a process and mean the same everywhere that
// 128+n is used.
var signalNames = map[int]string{
	1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE", 9: "KILL",
	11: "SEGV", 13: "PIPE", 14: "ALRM", 15: "TERM", 24: "XCPU", 25: "XFSZ", 31: "SYS",
}

func (e end) passed() bool { return e.code == 0 && e.signal == "" && !e.timedOut }

// class names the end of a command that said nothing else.
func (e end) class() string {
	switch {
	case e.timedOut:
		return "timeout"
	case e.signal != "":
		return "signal:" + e.signal
	case e.code == 127:
		return "not-found"
	}
	return "exit:" + strconv.Itoa(e.code)
}

// record adds an end that is a failure by itself, whatever was printed before.
func (e end) record(f *found) {
	if e.timedOut || e.signal != "" {
		f.fail("", e.class(), "")
	}
}

// isEnd tells the classes of class from those of failures that were printed.
func isEnd(class string) bool {
	return class == "timeout" || class == "not-found" ||
		strings.HasPrefix(class, "signal:") || strings.HasPrefix(class, "exit:")
}
