package extract

import (
	"encoding/json"
	"strings"
)

// rspec reads the text formatters of RSpec.
var rspec = tool{
	name:  "rspec",
	marks: []string{"9 example", "Failed examples:", "An error occurred while loading", "An error occurred in a"},
	read:  readRspec,
}

var (
	rspecNumber  = pattern(`^ {1,4}\d+\) (.+)$`)
	rspecExample = pattern(`^rspec '?(\S+?)(?::\d+|\[[\d:]+\])'? # (.+)$`)
	rspecTotal   = pattern(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?`)
	rspecOutside = pattern(`^An error occurred (?:while loading|in an?) (.+?)\.?$`)
	rspecError   = pattern(`^((?:[A-Z]\w*::)*[A-Z]\w*):$`)
)

func readRspec(p *page, f *found) {
	for _, lines := range p.streams {
		r := rspecReader{lines: lines, found: f, files: map[string]string{}}
		r.read()
	}
}

type rspecReader struct {
	lines    []string
	found    *found
	failures bool // inside the section "Failures:"
	failed   []rspecFailure
	files    map[string]string // by full description, of the list at the end
}

type rspecFailure struct {
	name string
	body []string
}

func (r *rspecReader) read() {
	for i := 0; i < len(r.lines); {
		i = r.line(i)
	}
	for _, x := range r.failed {
		class, detail := rspecReason(x.body)
		r.found.fail(place(r.files[x.name], x.name), class, detail)
	}
}

func (r *rspecReader) line(i int) int {
	line := r.lines[i]
	switch {
	case line == "Failures:":
		r.failures = true
	case strings.HasPrefix(line, "Pending:") || strings.HasPrefix(line, "Finished in "):
		r.failures = false
	case strings.HasPrefix(line, "An error occurred "):
		return r.outside(i)
	case strings.HasPrefix(line, "rspec "):
		if m := rspecExample().FindStringSubmatch(line); m != nil {
			r.files[m[2]] = strings.TrimPrefix(m[1], "./")
		}
	case r.failures && rspecNumber().MatchString(line):
		return r.failure(i)
	case strings.Contains(line, " example"):
		if m := rspecTotal().FindStringSubmatch(line); m != nil {
			run, _ := wholeNumber(m[1])
			failed, _ := wholeNumber(m[2])
			pending, _ := wholeNumber(m[3])
			r.found.tally.sum(run-pending, run-pending-failed, pending)
		}
	}
	return i + 1
}

func (r *rspecReader) failure(i int) int {
	name := rspecNumber().FindStringSubmatch(r.lines[i])[1]
	body := until(r.lines, i+1, func(l string) bool {
		return rspecNumber().MatchString(l) || strings.HasPrefix(l, "Finished in ") || strings.HasPrefix(l, "Pending:")
	})
	r.failed = append(r.failed, rspecFailure{name: name, body: body})
	return i + 1 + len(body)
}

// outside reads an error outside of any example: a file that does not load, a
// hook of the suite.
func (r *rspecReader) outside(i int) int {
	m := rspecOutside().FindStringSubmatch(r.lines[i])
	body := until(r.lines, i+1, func(l string) bool {
		return strings.HasPrefix(l, "An error occurred ") || strings.HasPrefix(l, "No examples found") ||
			strings.HasPrefix(l, "Finished in ") || strings.HasPrefix(l, "Run options:") ||
			strings.HasPrefix(l, "Pending:") || l == "Failures:"
	})
	if m != nil {
		class, detail := rspecReason(body)
		r.found.fail(strings.TrimPrefix(m[1], "./"), class, detail)
	}
	return i + 1 + len(body)
}

const expectationNotMet = "RSpec::Expectations::ExpectationNotMetError"

// rspecReason reads the expression, the exception's name on a line of its own,
// and the message. Without a name an expectation failed.
func rspecReason(body []string) (class, detail string) {
	class = expectationNotMet
	var kept []string
	for _, line := range body {
		text := strings.TrimSpace(line)
		if m := rspecError().FindStringSubmatch(text); m != nil && class == expectationNotMet {
			class = m[1]
			continue
		}
		if strings.HasPrefix(text, "# ") && isFrame(text) || strings.HasPrefix(text, "# -----") {
			continue
		}
		kept = append(kept, text)
	}
	return class, reason(kept)
}

// readRspecJSON reads the formatter json.
func readRspecJSON(doc []byte, f *found) bool {
	var run struct {
		Version  *string `json:"version"`
		Messages []string
		Examples []struct {
			FullDescription string `json:"full_description"`
			Status          string `json:"status"`
			FilePath        string `json:"file_path"`
			Exception       struct{ Class, Message string }
		} `json:"examples"`
		Summary *struct {
			Outside int `json:"errors_outside_of_examples_count"`
		} `json:"summary"`
	}
	if json.Unmarshal(doc, &run) != nil || run.Summary == nil || run.Examples == nil {
		return false
	}
	f.tally.known = true
	for _, x := range run.Examples {
		id := place(strings.TrimPrefix(x.FilePath, "./"), x.FullDescription)
		switch x.Status {
		case "passed":
			f.test(id, true)
		case "pending":
			f.tally.skip()
		default:
			f.test(id, false)
			f.fail(id, x.Exception.Class, reason(strings.Split(x.Exception.Message, "\n")))
		}
	}
	if run.Summary.Outside > 0 {
		r := rspecReader{found: f, files: map[string]string{}}
		for _, m := range run.Messages {
			r.lines = append(r.lines, strings.Split(m, "\n")...)
		}
		r.read()
	}
	return true
}
