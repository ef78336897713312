package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCleanerText(t *testing.T) {
	c := newCleaner(Output{WorkTree: []string{"/w/tree/", "/private/w/tree", "relative"}, Temp: []string{"/state/tmp-1"}})
	for name, tt := range map[string]struct{ raw, want string }{
		"plain text":                         {"a\tb\n", "a\tb\n"},
		"bytes that are no text":             {"a\xff\xfeb", "a\ufffdb"},
		"a byte order mark":                  {"\ufeffa", "a"},
		"line ends of Windows":               {"a\r\nb\r\r\n", "a\nb\n"},
		"colours":                            {"\x1b[1m\x1b[31mred\x1b[0m", "red"},
		"colours of 256":                     {"\x1b[38;5;196mred\x1b[39;49;00m", "red"},
		"a title of the window":              {"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"},
		"a title that never ends":            {"\x1b]0;title\na", "\na"},
		"sets of characters":                 {"\x1b(Ba\x1b=b", "ab"},
		"an escape at the end":               {"a\x1b", "a"},
		"a sequence at the end":              {"a\x1b[12", "a"},
		"a sequence with a line end in it":   {"a\x1b[1\nb", "a\nb"},
		"a progress line":                    {"10%\r20%\r30%\nb", "30%\nb"},
		"a jump to a column":                 {"   adds\x1b[K\x1b[77G1/4\x1b[2G\x1b[31m\x1b[1G ✗ adds\x1b[K\n", " ✗ adds\n"},
		"other control characters":           {"a\x00b\x07c\x7fd", "abcd"},
		"a path of the work tree":            {"at /w/tree/lib/a.js:3", "at lib/a.js:3"},
		"the same as a URL":                  {"(file:///w/tree/a.js:1:2)", "(a.js:1:2)"},
		"where links lead":                   {"/private/w/tree/a.js", "a.js"},
		"the folder by itself":               {"cd /w/tree && ls '/w/tree'", "cd . && ls '.'"},
		"a longer name is another folder":    {"/w/tree2/a /w/tree-old/b /w/trees", "/w/tree2/a /w/tree-old/b /w/trees"},
		"a longer path is another folder":    {"/home/w/tree/a", "/home/w/tree/a"},
		"a path with colours inside":         {"\x1b[90m(file:///w/tree/\x1b[39ma.js\x1b[90m)", "(a.js)"},
		"a folder for temporary files":       {"no /state/tmp-1/x/out.txt in /state/tmp-1", "no /tmp/x/out.txt in /tmp"},
		"a path in a URL of another machine": {"http://host/w/tree/a", "http://host/w/tree/a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.text([]byte(tt.raw)); got != tt.want {
				t.Errorf("text(%q) = %q; want %q", tt.raw, got, tt.want)
			}
		})
	}
}

func TestBounded(t *testing.T) {
	raw := []byte(strings.Repeat("a", maxStream) + "tail")
	got := bounded(raw)
	if len(got) != maxStream+1 || !strings.HasPrefix(got, "aaa") || !strings.HasSuffix(got, "\n"+strings.Repeat("a", maxStream/4-4)+"tail") {
		t.Errorf("bounded gives %d bytes; want head and tail in %d", len(got), maxStream+1)
	}
}

func TestLinesOf(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "", "b"}, linesOf("a\n\nb\n")); diff != "" {
		t.Errorf("linesOf (-want +got):\n%s", diff)
	}
	many := linesOf(strings.Repeat("x\n", maxLines) + "last\n")
	if len(many) > maxLines || many[0] != "x" || many[len(many)-1] != "last" {
		t.Errorf("linesOf gives %d lines, the last %q; want at most %d with the last", len(many), many[len(many)-1], maxLines)
	}
}

func TestSpotOf(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want spot
		ok   bool
	}{
		"gcc":                     {"src/a.c:2:10: error: bad", spot{path: "src/a.c", column: true, rest: "error: bad"}, true},
		"without a column":        {"./a.py:4: error: bad", spot{path: "a.py", rest: "error: bad"}, true},
		"tsc":                     {"src/a.ts(4,26): error TS1: bad", spot{path: "src/a.ts", column: true, rest: "error TS1: bad"}, true},
		"msbuild without a colum": {"a.cs(4): error: bad", spot{path: "a.cs", rest: "error: bad"}, true},
		"tsc, pretty":             {"src/a.ts:4:26 - error TS1: bad", spot{path: "src/a.ts", column: true, dash: true, rest: "error TS1: bad"}, true},
		"a file without an end":   {"Makefile:3: *** missing separator", spot{path: "Makefile", rest: "*** missing separator"}, true},
		"a time":                  {"16:22:10 start", spot{}, false},
		"a host":                  {"localhost:8080: refused", spot{}, false},
		"a URL":                   {"http://x:80/a: bad", spot{}, false},
		"words before it":         {"see a.c:2:10: error", spot{}, false},
		"nothing behind it":       {"a.c:2:", spot{}, false},
		"no number":               {"a.c:x: bad", spot{}, false},
		"a stack":                 {"(a.c:2:10): bad", spot{}, false},
		"an empty line":           {"", spot{}, false},
		"a bracket that is open":  {"a.ts(4", spot{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := spotOf(tt.line)
			if !tt.ok {
				got = spot{}
			}
			if ok != tt.ok || got != tt.want {
				t.Errorf("spotOf(%q) = %+v, %t; want %+v, %t", tt.line, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestWithoutPlaces(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"line and column":           {"at lib/a.js:3:10 in", "at lib/a.js in"},
		"line alone":                {"a.go:12", "a.go"},
		"in brackets":               {"a.ts(4,26) and A.java:[3,5]", "a.ts and A.java:[3,5]"},
		"in square brackets":        {"A.java[3,5]", "A.java"},
		"a pair at the end":         {"Unexpected token (3:10)", "Unexpected token"},
		"a pair inside":             {"ratio (3:10) is bad", "ratio (3:10) is bad"},
		"the word line":             {`File "a.py", line 12, in f`, `File "a.py", line, in f`},
		"lines":                     {"lines 3-5 differ", "lines differ"},
		"line and column in words":  {"line 3, column 5 and line 1 column 2: x", "line and line: x"},
		"a shell":                   {"run.sh: 2: foo: not found", "run.sh: foo: not found"},
		"a makefile":                {"[Makefile:3: test] Error 1", "[Makefile: test] Error 1"},
		"standard input":            {"<stdin>:3: bad", "<stdin>: bad"},
		"a host stays":              {"localhost:8080 a.example:443", "localhost:8080 a.example:443"},
		"a value stays":             {"map[x:5] {a:1} key:12", "map[x:5] {a:1} key:12"},
		"a word that ends in line":  {"outline 5 deadline 7", "outline 5 deadline 7"},
		"an expression stays":       {"f(2, 3) [4] (5)", "f(2, 3) [4] (5)"},
		"a text without numbers":    {"line of text", "line of text"},
		"a name that only ends so":  {"a.go:b", "a.go:b"},
		"a number in a longer word": {"line 5th", "lineth"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withoutPlaces(tt.text); got != tt.want {
				t.Errorf("withoutPlaces(%q) = %q; want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestIsFrame(t *testing.T) {
	for line, want := range map[string]bool{
		"at TestContext.<anonymous> (file:///w/a.js:13:10)":        true,
		"at async Test.run (node:internal/test_runner/test:797:9)": true,
		"at /w/a.js:3:5":                                   true,
		"at Object.<anonymous> (<anonymous>)":              true,
		"at com.example.CalcTest.adds(CalcTest.java:12)":   true,
		"at java.base/java.lang.Thread.run(Native Method)": true,
		"... 23 more":                              true,
		`File "/w/a.py", line 12, in f`:            true,
		"# ./spec/a_spec.rb:5:in `block in <top>'": true,
		"from a.rb:3:in 'Object#x'":                true,
		"/w/CalcTest.php:9":                        true,
		"#0 /w/a.php(12): f()":                     true,
		"❯ test/a.ts:3:5":                          true,
		"at least one of them":                     false,
		"at noon":                                  false,
		"... and so on":                            false,
		"File not found":                           false,
		"a.rb:3: syntax error":                     false,
		"expected 5 to be 4":                       false,
	} {
		if got := isFrame(line); got != want {
			t.Errorf("isFrame(%q) = %t; want %t", line, got, want)
		}
	}
}

func TestErrorOf(t *testing.T) {
	for name, tt := range map[string]struct {
		line                string
		name, code, message string
		ok                  bool
	}{
		"a name and a message":      {"TypeError: x is bad", "TypeError", "", "x is bad", true},
		"a code":                    {"Error [ERR_X]: no", "Error", "ERR_X", "no", true},
		"a code that is none":       {"TypeError [Error]: no", "TypeError", "", "no", true},
		"a name alone":              {"AssertionError", "AssertionError", "", "", true},
		"a name of several parts":   {"java.lang.IllegalStateException: no", "java.lang.IllegalStateException", "", "no", true},
		"a name of Ruby":            {"RSpec::Expectations::ExpectationNotMetError: no", "RSpec::Expectations::ExpectationNotMetError", "", "no", true},
		"a name of PHP":             {`App\Foo\BarException: no`, `App\Foo\BarException`, "", "no", true},
		"one that nobody caught":    {"Uncaught RangeError: no", "RangeError", "", "no", true},
		"a word and a colon":        {"note: it is so", "", "", "", false},
		"a sentence about an error": {"An Error happened", "", "", "", false},
		"nothing":                   {"", "", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			n, code, message, ok := errorOf(tt.line)
			if n != tt.name || code != tt.code || message != tt.message || ok != tt.ok {
				t.Errorf("errorOf(%q) = %q %q %q %t; want %q %q %q %t", tt.line, n, code, message, ok, tt.name, tt.code, tt.message, tt.ok)
			}
		})
	}
}

func TestUntimed(t *testing.T) {
	for name, want := range map[string]string{
		"adds numbers (12 ms)": "adds numbers", "adds (1.5s)": "adds", "adds 12ms": "adds", "adds (2m)": "adds",
		"adds": "adds", "adds (twice)": "adds (twice)", "adds 12": "adds 12", "": "", "(5 ms)": "(5 ms)", "adds (5 ms": "adds (5 ms",
	} {
		if got := untimed(name); got != want {
			t.Errorf("untimed(%q) = %q; want %q", name, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	got := numbered("=== 1 failed, 3 passed, 2 errors in 0.11s ===")
	if got["failed"] != 1 || got["passed"] != 3 || got["error"] != 2 {
		t.Errorf("numbered = %v; want 1 failed, 3 passed, 2 error", got)
	}
	got = labelled("Tests: 9, Assertions: 5, Errors: 2, Skipped: 1.")
	if got["test"] != 9 || got["error"] != 2 || got["skipped"] != 1 {
		t.Errorf("labelled = %v; want 9 test, 2 error, 1 skipped", got)
	}
	if n, ok := wholeNumber("99999999999"); ok {
		t.Errorf("wholeNumber of eleven digits = %d; want none", n)
	}
}

func TestTally(t *testing.T) {
	var named, summed, silent tally
	named.count(true)
	named.id("a", true)
	summed.sum(3, 2, 1)
	summed.id("b", true)
	summed.ids = 1
	for name, tt := range map[string]struct {
		parts []tally
		run   int
		ran   []string
	}{
		"named tests":                            {[]tally{named}, 1, []string{"a"}},
		"a summary with half of the names":       {[]tally{summed}, 3, nil},
		"and named ones besides: still half":     {[]tally{named, summed}, 4, nil},
		"a tool that knows nothing adds nothing": {[]tally{silent, named}, 1, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var all tally
			for _, p := range tt.parts {
				all.join(p)
			}
			got := all.tests()
			if got.Run != tt.run || cmp.Diff(tt.ran, got.Ran) != "" {
				t.Errorf("tests = %+v; want run %d and %v", got, tt.run, tt.ran)
			}
		})
	}
}
