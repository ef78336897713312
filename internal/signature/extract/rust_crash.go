package extract

// rustCrash reads the panic that ends a Rust program.
var rustCrash = tool{
	name:  "rust-crash",
	kind:  crashing,
	marks: []string{"thread '"},
	read:  readRustCrash,
}

func readRustCrash(p *page, f *found) {
	for _, lines := range p.streams {
		for _, d := range rustPanics(lines, func(l string) bool { return l == "" || rustPanicEnd(l) }) {
			f.fail(place(d.file, d.thread), d.class(), reason(d.message))
		}
	}
}
