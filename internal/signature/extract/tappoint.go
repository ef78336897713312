package extract

import (
	"strings"
)

// A tapPoint is one line that begins with "ok" or "not ok", and what follows.
type tapPoint struct {
	ok, skip, todo bool
	name           string
	indent         int
	path           []string // names of the tests around it, outermost last
	heading        string   // the comment above it
	yaml           yamlBlock
	comments       []string
	text           []string // indented lines that are not YAML
}

var (
	tapDirective = pattern(`(?i)\s# *(skip|todo)\b|\s# *time=\S+$`)
	tapTiming    = pattern(` (?:# )?in \d+ ?(?:ms|s|sec)$`)
)

// pointOf reads "ok 1 - name" and "not ok 1 - name". Without a number a dash
// must show that it is one: any program may print "ok".
func pointOf(line string) (p tapPoint, ok bool) {
	rest, failed := strings.CutPrefix(line, "not ")
	rest, ok = strings.CutPrefix(rest, "ok")
	if !ok || rest != "" && rest[0] != ' ' {
		return p, false
	}
	rest = strings.TrimPrefix(rest, " ")
	n := countDigits(rest)
	number, rest := rest[:n], rest[n:]
	if rest != "" && n > 0 && rest[0] != ' ' || n == 0 && !strings.HasPrefix(rest, "- ") {
		return p, false
	}
	p.ok = !failed
	p.setName(strings.TrimPrefix(strings.TrimPrefix(rest, " "), "- "))
	if p.name == "" {
		p.name = "#" + number
	}
	return p, true
}

// setName takes a description without its directive and timing.
func (p *tapPoint) setName(text string) {
	text = " " + text
	if strings.Contains(text, " #") {
		if at := tapDirective().FindStringSubmatchIndex(text); at != nil {
			if at[2] >= 0 {
				word := strings.ToLower(text[at[2]:at[3]])
				p.skip, p.todo = word == "skip", word == "todo"
			}
			text = text[:at[0]]
		}
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, `\#`, "#"))
	if strings.HasSuffix(text, "s") || strings.HasSuffix(text, "c") {
		text = tapTiming().ReplaceAllString(text, "")
	}
	p.name = text
}

// fileFailed is all that node says of a file that could not be run.
const fileFailed = "test failed"

var subtestsFailed = pattern(`^\d+ subtests? failed$`)

func (p *tapPoint) hasOwnReason() bool {
	r := p.reading()
	return r.detail != "" && !subtestsFailed().MatchString(r.detail)
}

// A reading is what one failure comes to.
type reading struct{ id, class, detail string }

func (p *tapPoint) reading() reading {
	file := p.yaml.file
	r := reading{class: "fail"}
	switch {
	case len(p.yaml.values) > 0:
		r.class, r.detail = p.yaml.failure()
	case len(p.text) > 0:
		r.class, r.detail = jsError(p.text)
	case len(p.comments) > 0:
		file, r.detail = diagnostics(p.comments)
	}
	r.id = place(p.names(file)...)
	return r
}

// names gives the parts of the id, outermost first. A test that is named for
// its file, as node does, is left out.
func (p *tapPoint) names(file string) []string {
	names := []string{file}
	for k := len(p.path) - 1; k >= 0; k-- {
		if p.path[k] != file {
			names = append(names, p.path[k])
		}
	}
	if len(p.path) == 0 {
		names = append(names, p.heading)
	}
	if p.name != file {
		names = append(names, p.name)
	}
	return names
}

// diagnostics reads the comments after a failed point: those of bats, those of
// Perl's Test::More, or anybody's.
func diagnostics(comments []string) (file, detail string) {
	if file, detail, ok := batsReason(comments); ok {
		return file, detail
	}
	var kept []string
	for _, c := range comments {
		c = strings.TrimSpace(c)
		if m := perlPlace().FindStringSubmatch(c); m != nil {
			file = m[1]
			continue
		}
		if strings.HasPrefix(c, "Failed test") || strings.HasPrefix(c, "Looks like you") {
			continue
		}
		kept = append(kept, c)
	}
	return file, reason(kept)
}
