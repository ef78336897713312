package extract

// pylint reads its text format and the one called parseable. The score is left
// out: it tells of the run before as well.
var pylint = tool{
	name:  "pylint",
	marks: []string{"* Module "},
	read:  readPylint,
}

var (
	pylintText      = pattern(`^([A-Z]\d{4}): (.*?)(?: \(([a-z0-9-]+)\))?$`)
	pylintParseable = pattern(`^\[([A-Z]\d{4})(?:\([a-z0-9-]+\))?, ?[^\]]*\] (.*)$`)
)

func readPylint(p *page, f *found) {
	g := &found{masks: f.masks}
	for _, s := range p.places() {
		m := pylintText().FindStringSubmatch(s.rest)
		if m == nil {
			m = pylintParseable().FindStringSubmatch(s.rest)
		}
		if m != nil {
			g.fail(s.path, m[1], m[2])
		}
	}
	g.counted()
	f.add(g)
}
