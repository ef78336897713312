package extract

// phpCrash reads the error that ends a PHP program. It is printed on both
// streams if both are errors' streams; once is enough.
var phpCrash = tool{
	name:  "php-crash",
	kind:  crashing,
	marks: []string{"PHP Fatal error: ", "PHP Parse error: ", "Fatal error: ", "Parse error: "},
	read:  readPHPCrash,
}

var phpDied = pattern(`^(?:PHP )?(Fatal|Parse) error:\s+(?:Uncaught )?(.*?) in (\S+?)(?::\d+| on line \d+)$`)

func readPHPCrash(p *page, f *found) {
	for _, lines := range p.streams {
		for _, line := range lines {
			m := phpDied().FindStringSubmatch(line)
			if m == nil {
				continue
			}
			class, detail := m[1]+" error", m[2]
			if e := phpClass().FindStringSubmatch(detail); e != nil {
				class, detail = e[1], e[2]
			}
			f.fail(m[3], class, detail)
		}
	}
}
