package signature

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMaskChangesWhatDiffersFromRunToRun(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"folder for temporary files":        {"no /tmp/save-r29jag here", "no <tmp> here"},
		"file in a temporary folder":        {"no file /tmp/x-1/001/out.txt.", "no file <tmp>/out.txt."},
		"quoted temporary path":             {"open('/var/tmp/a b')", "open('<tmp> b')"},
		"macOS temporary path":              {"at /private/var/folders/zz/abc/T/x/conf.json:", "at <tmp>/conf.json:"},
		"temporary path in a URL":           {"file:///tmp/abc/a.js", "file://<tmp>/a.js"},
		"object file of gcc":                {"/tmp/ccQX1Xn2.o: in function", "<tmp>/*.o: in function"},
		"file of Python's tempfile":         {"/tmp/tmpilbhwyjt.json", "<tmp>/*.json"},
		"temporary path on Windows":         {`C:\Users\me\AppData\Local\Temp\x1\a.txt`, `C:\Users\me<tmp>\a.txt`},
		"ISO date and time":                 {"at 2026-11-30T16:19:26.934Z", "at <time>"},
		"date and time with zone":           {"x 2026-11-30 16:31:33.911815105 +0000\n", "x <time>\n"},
		"date and time with a colon zone":   {"[2026-11-30T16:31:34+00:00]", "[<time>]"},
		"date with slashes":                 {"2026/11/30 16:00:00 main", "<time> main"},
		"date alone":                        {"on 2026-11-30, then", "on <time>, then"},
		"date with a month's name":          {"completed Nov 12, 2026, 10:11:12", "completed Nov <time>, <time>"},
		"date as in a mail":                 {"on 12 Nov 2026 in", "on <time> in"},
		"time alone":                        {"16:22:10 start", "<time> start"},
		"time with a comma":                 {"09:43:01,123 INFO", "<time> INFO"},
		"UUID":                              {"id 123e4567-e89b-12d3-a456-426614174000", "id <uuid>"},
		"address":                           {"<function f at 0x7f18049e1420>", "<function f at <addr>>"},
		"hash of a Java object":             {"Foo@1b2c3d4, [I@6d06d69c", "Foo@<obj>, [I@<obj>"},
		"port after an address":             {"127.0.0.1:46212 refused", "127.0.0.1:<port> refused"},
		"port after localhost":              {"http://localhost:3000/a", "http://localhost:<port>/a"},
		"port after IPv6":                   {"[::1]:8080", "[::1]:<port>"},
		"process id in words":               {"(pid 16184)", "(pid <n>)"},
		"process id with sign":              {"PID=7 ppid: 12", "PID=<n> ppid: <n>"},
		"port in words":                     {"port 80", "port <n>"},
		"seed":                              {"--seed 123, seed=0.63", "--seed <n>, seed=<n>"},
		"goroutine, thread, worker":         {"goroutine 6 thread 12 worker #3", "goroutine <n> thread <n> worker #<n>"},
		"milliseconds":                      {"after 42.42ms", "after <dur>"},
		"microseconds":                      {"72.187µs", "<dur>"},
		"seconds":                           {"in 0.020s and 3 seconds", "in <dur> and <dur>"},
		"unit after a blank":                {"(15 ms)", "(<dur>)"},
		"compound duration":                 {"took 1h2m3.5s", "took <dur>"},
		"duration with an exponent":         {"8.0E-5s", "<dur>"},
		"many decimals":                     {"0.58038", "<float>"},
		"negative exponent":                 {"1e-7", "<float>"},
		"hexadecimal run":                   {"calc-c6626fb655a8d231)", "calc-<hex>)"},
		"five digits":                       {"from 68141.", "from <int>."},
		"long number with decimals":         {"1796056.3", "<int>"},
		"everything at once":                {"/tmp/a/b.go 5ms 0xabcdef12", "<tmp>/b.go <dur> <addr>"},
		"a form right after another's mark": {"12345 67890", "<int> <int>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Mask(tt.text); got != tt.want {
				t.Errorf("Mask(%q) = %q; want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestMaskLeavesWhatAFailureIsAbout(t *testing.T) {
	for name, text := range map[string]string{
		"words":                           "expected true to be false",
		"a hexadecimal word":              "deadbeef",
		"a version":                       "v1.2.3 and 10.20.30456",
		"a name with a number":            "sha256 test_10 utf8",
		"a name with a long number":       "test_issue_12345 x12345",
		"small integers":                  "got 5, want 9999",
		"short decimals":                  "3.14 0.1234",
		"a small constant in hexadecimal": "0x1f 0xFFFF",
		"a path elsewhere":                "src/tmp/a.go /home/x/tmp/b",
		"a host without a port":           "127.0.0.1 and localhost",
		"a month without a year":          "May 12 tests, 5 Mar",
		"a ratio":                         "16:9 and 10:30",
		"a place in a file":               "a.go:12:3",
		"a mail address":                  "me@cafe.example",
		"a scoped version":                "lodash@4.17.21",
		"a unit that is none":             "5 apples 3x 7 mice",
		"an ordinal":                      "1st 2nd",
		"a word that ends like a label":   "airport 5 report 80",
		"a positive exponent":             "1e+7",
		"a short hexadecimal run":         "a1b2c3d",
		"a number in a longer word":       "a12345b",
		"a mask":                          "<tmp>/out.txt <int> <dur>",
	} {
		t.Run(name, func(t *testing.T) {
			if got := Mask(text); got != text {
				t.Errorf("Mask(%q) = %q; want it unchanged", text, got)
			}
		})
	}
}

func TestMaskOfTheUser(t *testing.T) {
	m, err := CompileMask("ticket", `[A-Z]+-\d+`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Mask("see ABC-12345 in 5ms", m), "see <ticket> in <dur>"; got != want {
		t.Errorf("Mask = %q; want %q", got, want)
	}
	if got, want := Mask("see abc", m), "see abc"; got != want {
		t.Errorf("Mask = %q; want %q", got, want)
	}
}

func TestCompileMaskRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ name, regex, want string }{
		"no name":                {"", "a", "name is empty"},
		"a name with a newline":  {"a\nb", "a", "not printable"},
		"a broken expression":    {"x", "(", "missing closing )"},
		"one that matches empty": {"x", "a*", "matches the empty text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CompileMask(tt.name, tt.regex)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("CompileMask(%q, %q) = %v; want an error with %q", tt.name, tt.regex, err, tt.want)
			}
		})
	}
}

func TestSumTellsMasksApart(t *testing.T) {
	one, _ := CompileMask("a", "x")
	other, _ := CompileMask("a", "y")
	if Sum(nil) != "" {
		t.Errorf("Sum(nil) = %q; want none", Sum(nil))
	}
	if Sum([]Masker{one}) == Sum([]Masker{other}) {
		t.Error("two masks with other expressions have one Sum")
	}
	if Sum([]Masker{one, other}) == Sum([]Masker{other, one}) {
		t.Error("the order of masks matters to what they do, but not to Sum")
	}
}

func TestMaskingTwiceIsMaskingOnce(t *testing.T) {
	word := rapid.OneOf(
		rapid.StringMatching(`/tmp/[a-z0-9]{1,9}(/[a-z0-9-]{1,9}){0,2}(\.[a-z]{1,4})?`),
		rapid.StringMatching(`20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?Z?)?`),
		rapid.StringMatching(`\(?(pid|port|seed|worker)[ =:]\d{1,9}\)?`),
		rapid.StringMatching(`\d{1,7}(\.\d{1,7})?(ms|s|µs|e-\d)?`),
		rapid.StringMatching(`(0x)?[0-9a-f]{1,16}`),
		rapid.StringMatching(`(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}`),
		rapid.StringMatching(`[a-z]{1,8}@?[0-9a-f]{0,9}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), " ")
		once := Mask(text)
		if twice := Mask(once); twice != once {
			t.Fatalf("Mask(Mask(%q)) = %q; want %q", text, twice, once)
		}
	})
}

func TestNumberless(t *testing.T) {
	if got, want := Numberless("got 5, want 42 (x10)"), "got <n>, want <n> (x<n>)"; got != want {
		t.Errorf("Numberless = %q; want %q", got, want)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("no file /tmp/save-r29jag/out.txt after 42.42ms (pid 16184) at 127.0.0.1:46212")
	f.Add("\\AppData\\Local\\Temp\\ 0x @ :5 1e- 12:3")
	f.Fuzz(func(t *testing.T, text string) {
		masked := Mask(text)
		if utf8.ValidString(text) && !utf8.ValidString(masked) {
			t.Errorf("Mask(%q) = %q; want valid UTF-8", text, masked)
		}
		if digits := strings.IndexAny(Numberless(masked), "0123456789"); digits >= 0 {
			t.Errorf("Numberless(%q) has a digit", masked)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("worker 16184 wrote /tmp/save-r29jag/out.txt after 42.42ms to 127.0.0.1:46212, expected 5 to be 4\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Mask(text)
	}
}
