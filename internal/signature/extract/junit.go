package extract

import "strings"

// readJUnit reads JUnit XML as all the tools write it that borrowed the form.
// Several documents may follow each other, and other text may stand around
// them. Times and host names are never looked at.
func readJUnit(text string, f *found) bool {
	start := strings.Index(text, "<test")
	if start < 0 {
		return false
	}
	j := junit{found: f, repeated: map[reading]int{}}
	for x := (xmlScanner{text: text, at: start}); ; {
		t, ok := x.next()
		if !ok {
			break
		}
		j.tag(t)
	}
	j.end()
	return j.seen
}

type junit struct {
	found    *found
	seen     bool
	suites   []string
	test     *junitTest
	inside   *junitFailure // the element whose text is read
	depth    int           // elements open inside it
	repeated map[reading]int
}

type junitTest struct {
	file, class, name string
	skipped           bool
	failures          []*junitFailure
}

func (j *junit) tag(t xmlTag) {
	if t.opens {
		j.open(t)
	}
	switch {
	case t.ends:
		j.close(t.name)
	case !t.opens && j.inside != nil && j.inside != ignored && j.inside.text.Len() < 16*maxDetail:
		j.inside.text.WriteString(t.content())
	}
}

func (j *junit) open(t xmlTag) {
	if j.inside != nil {
		j.depth++
		return
	}
	switch t.name {
	case "testsuites":
		j.seen, j.suites = true, nil
	case "testsuite":
		j.seen = true
		j.suites = append(j.suites, unescaped(t.attr("name")))
	case "testcase":
		j.seen = true
		j.test = &junitTest{file: t.attr("file"), class: unescaped(t.attr("classname")), name: unescaped(t.attr("name"))}
	case "failure", "error":
		j.failure(t)
	case "skipped":
		if j.test != nil {
			j.test.skipped = true
		}
	case "system-out", "system-err", "properties":
		j.inside, j.depth = ignored, 0
	}
}

// ignored takes the text of elements that are not read.
var ignored = &junitFailure{}

// failure begins a failure of a test or, outside of one, of a suite that could
// not start.
func (j *junit) failure(t xmlTag) {
	if j.test == nil {
		j.test = &junitTest{}
	}
	x := &junitFailure{element: t.name, kind: t.attr("type"), message: unescaped(t.attr("message"))}
	j.test.failures = append(j.test.failures, x)
	j.inside, j.depth = x, 0
}

func (j *junit) close(name string) {
	switch {
	case j.inside != nil && j.depth > 0:
		j.depth--
	case j.inside != nil:
		j.inside = nil
		if j.test != nil && j.test.name == "" && j.test.class == "" {
			j.ended()
		}
	case name == "testcase" && j.test != nil:
		j.ended()
	case name == "testsuite" && len(j.suites) > 0:
		j.suites = j.suites[:len(j.suites)-1]
	}
}

func (j *junit) ended() {
	t := j.test
	j.test = nil
	id := j.id(t)
	switch {
	case len(t.failures) > 0:
		j.found.test(id, false)
	case t.skipped:
		j.found.tally.skip()
	default:
		j.found.test(id, true)
	}
	for _, x := range t.failures {
		class, detail := x.read()
		j.repeated[reading{id: id, class: class, detail: detail}]++
	}
}

// id names a test by its suites, class and name, each only once.
func (j *junit) id(t *junitTest) string {
	class := t.class
	if class == "" {
		class = t.file
	}
	var parts []string
	for _, s := range j.suites[:min(len(j.suites), maxDepth)] {
		if s != class && s != t.name {
			parts = append(parts, s)
		}
	}
	return place(append(parts, class, t.name)...)
}

// end reports the failures. Several cases of one name that failed alike are
// counted, since fewer of them are progress.
func (j *junit) end() {
	if j.test != nil {
		j.ended()
	}
	for r, n := range j.repeated {
		j.report(r, n)
	}
}

func (j *junit) report(r reading, n int) {
	g := &found{masks: j.found.masks}
	if r.detail == "" || r.detail == fileFailed {
		g.failBare(r.id, r.class, r.detail)
	} else {
		g.fail(r.id, r.class, r.detail)
	}
	for k := range g.failures {
		g.failures[k] = n
	}
	g.counted()
	j.found.add(g)
}
