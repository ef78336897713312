package extract

import "strings"

// goCrash reads the panic that ends a Go program.
var goCrash = tool{
	name:  "go-crash",
	kind:  crashing,
	marks: []string{"panic: ", "fatal error: ", "unexpected fault address"},
	read:  readGoCrash,
}

func readGoCrash(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); i++ {
			if !strings.HasPrefix(lines[i], "panic: ") && !strings.HasPrefix(lines[i], "fatal error: ") {
				continue
			}
			if !hasStack(lines[i+1:]) {
				continue
			}
			trace := until(lines, i+1, func(l string) bool { return strings.HasPrefix(l, "exit status ") })
			class, detail := goDeath(lines[i], trace)
			f.fail("", class, detail)
			i += len(trace)
		}
	}
}

func hasStack(trace []string) bool {
	for _, line := range trace[:min(len(trace), 50)] {
		if strings.HasPrefix(line, "panic: ") && !strings.Contains(line, "[recovered") {
			return false
		}
		if goStack().MatchString(line) || strings.HasPrefix(line, "runtime stack:") {
			return true
		}
	}
	return false
}
