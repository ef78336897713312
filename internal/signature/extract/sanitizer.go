package extract

import (
	"strings"
)

// sanitizer reads the summaries of the sanitizers of clang and gcc, and what
// the C and C++ libraries say as they abort.
var sanitizer = tool{
	name:  "sanitizer",
	kind:  crashing,
	marks: []string{"SUMMARY: ", "terminate called ", ": runtime error: ", ": Assertion ", "Assertion failed: "},
	read:  readSanitizer,
}

var (
	sanitizerSum  = pattern(`^SUMMARY: (\w+Sanitizer): (.+?)(?: (\S+?):\d+(?::\d+)?| \((\S+?)\+0x[0-9a-f]+\)(?: \(BuildId: \w+\))?)? in (.+)$`)
	sanitizerLeak = pattern(`^\s+#\d+ 0x[0-9a-f]+ in (\S.*?) (\S+?):\d+(?::\d+)?$`)
	sanitizerSize = pattern(`^SUMMARY: (\w+Sanitizer): (.+)$`)
	undefinedSaid = pattern(`^(\S+?):\d+(?::\d+)?: runtime error: (.+)$`)
	cxxThrown     = pattern(`^terminate called after throwing an instance of '(.+)'$`)
	cAssert       = pattern("^(?:\\S+: )?(\\S+?):\\d+: (?:(.+?): )?Assertion [`'](.+)' failed\\.$")
	cAssertApple  = pattern(`^Assertion failed: \((.+)\), function (\S+), file (\S+), line \d+\.$`)
)

func readSanitizer(p *page, f *found) {
	for _, lines := range p.streams {
		leak := false
		for i, line := range lines {
			switch {
			case strings.Contains(line, " leak of "):
				leak = true
			case leak && strings.Contains(line, " in "):
				leak = !leakedIn(line, f)
			case strings.HasPrefix(line, "SUMMARY: "):
				sanitized(line, f)
			case strings.HasPrefix(line, "terminate called "):
				if m := cxxThrown().FindStringSubmatch(line); m != nil {
					f.fail("", m[1], what(lines[i+1:]))
				}
			case strings.Contains(line, ": runtime error: "):
				if m := undefinedSaid().FindStringSubmatch(line); m != nil {
					f.fail(m[1], "UndefinedBehaviorSanitizer", m[2])
				}
			case strings.Contains(line, "Assertion "):
				asserted(line, f)
			}
		}
	}
}

// leakedIn names the first function of the program's own that allocated what
// was leaked; it reports whether the line was one of its own.
func leakedIn(line string, f *found) bool {
	m := sanitizerLeak().FindStringSubmatch(line)
	if m == nil || foreign(m[2]) || strings.HasPrefix(m[2], "../") {
		return false
	}
	f.fail(place(m[2], m[1]), "LeakSanitizer", "leak")
	return true
}

// sanitized keeps the kind of error, the file and the function.
func sanitized(line string, f *found) {
	if m := sanitizerSum().FindStringSubmatch(line); m != nil && !strings.Contains(line, " leaked in ") {
		f.fail(place(m[3]+m[4], m[5]), m[1], m[2])
		return
	}
	if m := sanitizerSize().FindStringSubmatch(line); m != nil {
		f.fail("", m[1], m[2])
	}
}

func asserted(line string, f *found) {
	if m := cAssert().FindStringSubmatch(line); m != nil {
		f.fail(place(m[1], m[2]), "assertion", m[3])
	} else if m := cAssertApple().FindStringSubmatch(line); m != nil {
		f.fail(place(m[3], m[2]), "assertion", m[1])
	}
}

// what gives the text of an exception that C++ was ended by.
func what(lines []string) string {
	if len(lines) > 0 {
		if text, ok := strings.CutPrefix(strings.TrimSpace(lines[0]), "what():"); ok {
			return strings.TrimSpace(text)
		}
	}
	return "terminate called"
}
