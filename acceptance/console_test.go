//go:build unix

package acceptance

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A manual is a Markdown file, cut at the commands of its console blocks.
type manual struct {
	parts []part
}

// A part is text that stays as it is, or what a command is said to print.
type part struct {
	text    string // with its line ends
	command string // as typed after "$ "; "" for text
}

// parseManual finds the console blocks. A command ends where the next one begins
// or its block ends; all lines between are its output.
func parseManual(data string) manual {
	var p manual
	inside := false
	for line := range strings.Lines(data) {
		typed, isCommand := strings.CutPrefix(line, "$ ")
		last := len(p.parts) - 1
		switch {
		case inside && strings.HasPrefix(line, "```"):
			inside = false
			p.parts = append(p.parts, part{text: line})
		case inside && isCommand:
			p.parts = append(p.parts, part{text: line}, part{command: strings.TrimSuffix(typed, "\n")})
		case last >= 0 && (inside || p.parts[last].command == ""):
			p.parts[last].text += line
		default:
			p.parts = append(p.parts, part{text: line})
		}
		inside = inside || line == "```console\n"
	}
	return p
}

func (p manual) String() string {
	var b strings.Builder
	for _, each := range p.parts {
		b.WriteString(each.text)
	}
	return b.String()
}

// masks are what differs from run to run.
var masks = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{7,64}\b`), "HASH"},
	{regexp.MustCompile(`\b(\d+(\.\d+)?(ms|µs|h|m|s))+\b`), "DURATION"},
	{regexp.MustCompile(`/tmp/\S+`), "FOLDER"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(` {2,}`), "  "}, // the width of a column follows its cells
}

// masked are the lines of an output without what differs from run to run.
func masked(output string) []string {
	for _, m := range masks {
		output = m.from.ReplaceAllString(output, m.to)
	}
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// unlike says where an output is not as it was shown, "" if it is. A line "..."
// of what was shown stands for any number of lines.
func unlike(shown, got string) string {
	want, have := masked(shown), masked(got)
	pattern := `^`
	for _, line := range want {
		if line == "..." {
			pattern += `(?:[^\n]*\n)*`
		} else {
			pattern += regexp.QuoteMeta(line) + `\n`
		}
	}
	if regexp.MustCompile(pattern + `$`).MatchString(strings.Join(have, "\n") + "\n") {
		return ""
	}
	return cmp.Diff(want, have)
}

func TestOutputsAreComparedAsTheyWereShown(t *testing.T) {
	for name, c := range map[string]struct {
		shown, got string
		like       bool
	}{
		"the same text":                        {"a\nb\n", "a\nb\n", true},
		"another word":                         {"a\nb\n", "a\nc\n", false},
		"a line more":                          {"a\n", "a\nb\n", false},
		"a line less":                          {"a\nb\n", "a\n", false},
		"other times, hashes and widths":       {"x  0123abcd  1.2s  2026-01-02 03:04:05\n", "x   ffffffffff  12ms  2027-01-02T03:04:05Z\n", true},
		"a gap at the start":                   {"...\nz\n", "a\nb\nz\n", true},
		"a gap that hides a wrong end":         {"...\nz\n", "a\nz\nb\n", false},
		"a gap in the middle":                  {"a\n...\nz\n", "a\nb\nc\nz\n", true},
		"a gap that is empty":                  {"a\n...\nz\n", "a\nz\n", true},
		"a gap whose start differs":            {"b\n...\nz\n", "a\nz\n", false},
		"two gaps":                             {"a\n...\nm\n...\nz\n", "a\nb\nm\nn\nz\n", true},
		"two gaps without what stands between": {"a\n...\nm\n...\nz\n", "a\nb\nn\nz\n", false},
		"nothing but a gap":                    {"...\n", "a\nb\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unlike(c.shown, c.got) == ""; got != c.like {
				t.Errorf("like = %v; want %v\n%s", got, c.like, unlike(c.shown, c.got))
			}
		})
	}
}

func TestAManualIsItsParts(t *testing.T) {
	const text = "# A\n\n```console\n$ one\nx\n$ two\n```\n\n```sh\n$ three\n```\n"
	p := parseManual(text)
	if got := p.String(); got != text {
		t.Errorf("String() = %q; want %q", got, text)
	}
	var commands []string
	for _, each := range p.parts {
		if each.command != "" {
			commands = append(commands, each.command+": "+each.text)
		}
	}
	if diff := cmp.Diff([]string{"one: x\n", "two: "}, commands); diff != "" {
		t.Error(diff)
	}
}
