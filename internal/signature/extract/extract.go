// Package extract reads what a check command printed or reported and gives the
// failures in it: which test or place, what kind of error, and the stable part
// of what was said. It owns what is known of each tool's output, one file a
// tool; it is pure, never panics, and takes time in proportion to its input.
//
// A machine-readable report comes first, then a machine-readable format on
// standard output, then the text of the tools that recognise their own marks,
// then lines that look like errors. In doubt it keeps what it found: two
// failures that look alike but are told apart cost a round, two different ones
// taken for the same stop a task that makes progress.
package extract

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/signature"
)

// Output is all that a check command left behind.
type Output struct {
	Argv     []string
	ExitCode int    // 128+n and -n count as the signal n
	Signal   string // as "SEGV"; empty if the command exited by itself
	TimedOut bool   // ended by its own limit: ExitCode and Signal are not looked at

	Stdout, Stderr []byte
	Report         []byte // a report file's bytes; nil: none was asked for
	Format         string // one of Formats, or "" or "auto"

	WorkTree []string // folders whose paths are made relative: the tree, and where its links lead
	Temp     []string // folders for temporary files, as TMPDIR and HOME of the run
	Masks    []signature.Masker
}

// Result is what was found.
type Result struct {
	Check signature.Check

	// Infra: there are failures, and all of them that give a reason lie with
	// the environment.
	Infra bool

	// Bare: a failure is named without any reason, and none was found in the
	// text. Another reporter would tell more.
	Bare bool

	// Notes say what was wrong with the report, in a person's words.
	Notes []string
}

const (
	maxFailures = 200
	maxDetail   = 2000
	maxID       = 500
)

// Extract reads one run of a check. A run that passed has no failures, but its
// Tests may still say that nothing ran.
func Extract(in Output) Result {
	r := reader{in: in, page: newPage(in), end: endOf(in)}
	found := r.read()
	res := Result{Check: signature.Check{
		Argv:      in.Argv,
		ExitCode:  r.end.code,
		Signal:    r.end.signal,
		PathTaken: r.path,
		Tests:     found.tally.tests(),
	}, Notes: r.notes}
	if r.end.passed() {
		return res
	}
	res.Check.Failures, res.Check.Dropped = found.list()
	res.Infra, res.Bare = found.infra(), found.bare && !found.told
	return res
}

// A reader takes one output through the steps, from the surest to the vaguest.
type reader struct {
	in    Output
	page  *page
	end   end
	path  string
	notes []string
}

func (r *reader) read() *found {
	f := r.report()
	if f == nil {
		f = r.format()
	}
	switch {
	case f == nil:
		f = r.text()
	case f.none() && !r.end.passed(): // it only knows of the tests
		tests := f.tally
		if f = r.text(); !f.tally.known {
			f.tally = tests
		}
	default:
		r.completed(f)
	}
	if r.end.passed() {
		return f
	}
	switch {
	case f.none():
		r.path = pathFallback
		r.fallback(f)
	case f.loose, f.silent() && strings.HasPrefix(r.path, "text:"):
		// What was compared may stand where no tool looks for it.
		r.path += "+" + pathFallback
		r.fallback(f)
	}
	r.end.record(f)
	return f
}

// report reads the report file; nil if there is none that can be read.
func (r *reader) report() *found {
	if r.in.Report == nil {
		return nil
	}
	text := r.page.clean.text(r.in.Report)
	f := r.found()
	switch {
	case strings.TrimSpace(text) == "":
		r.note("the report is empty")
		return nil
	case !readFormat(text, r.in.Format, f):
		r.note("the report cannot be read as " + formatName(r.in.Format))
		return nil
	case f.none() && !r.end.passed():
		r.note("the report names no failure though the command failed")
	}
	r.path = "report"
	return f
}

// format reads standard output as a document; nil if it is none.
func (r *reader) format() *found {
	f := r.found()
	forced := r.in.Format
	if r.in.Report != nil {
		forced = "" // it named the report's
	}
	if !readFormat(r.page.stdout, forced, f) {
		return nil
	}
	r.path = "format"
	return f
}

// completed adds what the text says where a report names a failure without a
// reason.
func (r *reader) completed(f *found) {
	if !f.bare || r.end.passed() {
		return
	}
	path := r.path
	t := r.text()
	r.path = path
	t.tally = tally{}
	f.add(t)
}

// text runs every tool that recognises the output. Compilers and crashes only
// count where no test failed, where a runner says that a build failed, or
// where a failure is named without a reason: a test may well print what looks
// like either.
func (r *reader) text() *found {
	r.page.split(r.in.Stderr)
	all := r.found()
	names := r.run(named, all)
	if r.end.passed() {
		r.path = pathOf(names)
		return all
	}
	if all.none() || all.bare || all.unbuilt {
		names = append(names, r.run(building, all)...)
	}
	if all.none() || all.bare {
		names = append(names, r.run(crashing, all)...)
	}
	r.path = pathOf(names)
	return all
}

// pathOf names the tools whose findings count. The Test Anything Protocol
// alone is a format.
func pathOf(names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1 && names[0] == tap.name:
		return "format"
	}
	slices.Sort(names)
	return "text:" + strings.Join(names, "+")
}

// run adds to all what the tools of one kind find, and names those that found
// something.
func (r *reader) run(k kind, all *found) (names []string) {
	passed, page := r.end.passed(), r.page
	if k == crashing {
		page = page.uncommented()
	}
	for i, t := range tools {
		if t.kind != k || !page.awake(i) {
			continue
		}
		f := r.found()
		t.read(page, f)
		if f.none() && !(passed && f.tally.known) {
			all.tally.join(f.tally)
			continue
		}
		names = append(names, t.name)
		all.add(f)
	}
	return names
}

func (r *reader) found() *found { return &found{masks: r.in.Masks} }

func (r *reader) note(s string) { r.notes = append(r.notes, s) }
