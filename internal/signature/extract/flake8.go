package extract

// flake8 reads the form that pycodestyle, flake8 and ruff share: a place, a
// code and a message.
var flake8 = tool{
	name:  "flake8",
	kind:  building,
	spots: true,
	read:  readFlake8,
}

var flake8Code = pattern(`^([A-Z]{1,4}\d{2,5}) (?:\[\*\] )?(.*)$`)

func readFlake8(p *page, f *found) {
	g := &found{masks: f.masks}
	for _, s := range p.places() {
		if m := flake8Code().FindStringSubmatch(s.rest); m != nil && s.column && !s.dash {
			g.fail(s.path, m[1], m[2])
		}
	}
	g.counted()
	f.add(g)
}
