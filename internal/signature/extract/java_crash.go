package extract

import (
	"strings"
)

// javaCrash reads the exception that ends a Java program.
var javaCrash = tool{
	name:  "java-crash",
	kind:  crashing,
	marks: []string{`Exception in thread "`, "Caused by: ", "# A fatal error has been detected", "Error: Could not find or load main class"},
	read:  readJavaCrash,
}

var (
	javaThread = pattern(`^Exception in thread "[^"]*" (.*)$`)
	javaOwn    = pattern(`^\s+at (?:[\w.@]+/)?([\w.$]+)\(`)
)

func readJavaCrash(p *page, f *found) {
	for _, lines := range p.streams {
		for i := 0; i < len(lines); i++ {
			line := lines[i]
			switch {
			case strings.HasPrefix(line, "Error: Could not find or load main class"):
				f.fail("", "java", line)
			case strings.HasPrefix(line, "#  SIG"):
				name, _, _ := strings.Cut(strings.TrimPrefix(line, "#  SIG"), " ")
				f.fail("", "signal:"+name, "fatal error in the Java runtime")
			}
			m := javaThread().FindStringSubmatch(line)
			if m == nil {
				continue
			}
			body := javaBody(lines, i+1, javaThread().MatchString)
			class, detail := javaReason(append([]string{m[1]}, body...))
			f.fail(javaFirst(body), class, detail)
			i += len(body)
		}
	}
}

// javaFirst names the first method on the stack that is not of the library.
func javaFirst(body []string) string {
	for _, line := range body {
		m := javaOwn().FindStringSubmatch(line)
		if m != nil && !strings.HasPrefix(m[1], "java.") && !strings.HasPrefix(m[1], "jdk.") && !strings.HasPrefix(m[1], "sun.") {
			return m[1]
		}
	}
	return ""
}
