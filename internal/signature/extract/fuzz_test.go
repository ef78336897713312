package extract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// One function a tool, so that each gathers a corpus of its own. The seeds are
// the samples of the folders named, and the tool's marks.

func FuzzTap(f *testing.F) {
	fuzzTool(f, tap, "node-tap", "bats-tap", "mocha-tap", "node24-tap", "vitest2-tap")
}
func FuzzNodeSpec(f *testing.F) { fuzzTool(f, nodeSpec, "node-spec", "node18-spec") }
func FuzzGoTest(f *testing.F) {
	fuzzTool(f, goTest, "go-test", "go-panic", "go-race", "go-timeout", "go-sub-v")
}
func FuzzPytest(f *testing.F)        { fuzzTool(f, pytest, "pytest", "pytest-more", "pytest-short") }
func FuzzUnittest(f *testing.F)      { fuzzTool(f, unittest, "unittest", "unittest-v") }
func FuzzPythonDoctest(f *testing.F) { fuzzTool(f, pythonDoctest, "py-doctest") }
func FuzzJest(f *testing.F)          { fuzzTool(f, jest, "jest", "jest29") }
func FuzzVitest(f *testing.F)        { fuzzTool(f, vitest, "vitest", "vitest2") }
func FuzzMocha(f *testing.F)         { fuzzTool(f, mocha, "mocha") }
func FuzzAva(f *testing.F)           { fuzzTool(f, ava, "ava") }
func FuzzPlaywright(f *testing.F)    { fuzzTool(f, playwright, "playwright") }
func FuzzCargo(f *testing.F)         { fuzzTool(f, cargo, "cargo-test", "cargo-int") }
func FuzzRustc(f *testing.F)         { fuzzTool(f, rustc, "cargo-test", "clippy") }
func FuzzTypescript(f *testing.F)    { fuzzTool(f, typescript, "tsc") }
func FuzzEslint(f *testing.F)        { fuzzTool(f, eslint, "eslint-stylish") }
func FuzzPrettier(f *testing.F)      { fuzzTool(f, prettier, "prettier") }
func FuzzMypy(f *testing.F)          { fuzzTool(f, mypy, "mypy") }
func FuzzPylint(f *testing.F)        { fuzzTool(f, pylint, "pylint") }
func FuzzShellcheck(f *testing.F)    { fuzzTool(f, shellcheck, "shellcheck", "shellcheck-gcc") }
func FuzzGtest(f *testing.F)         { fuzzTool(f, gtest, "gtest") }
func FuzzDoctest(f *testing.F)       { fuzzTool(f, doctest, "doctest") }
func FuzzCtest(f *testing.F)         { fuzzTool(f, ctest, "ctest") }
func FuzzBats(f *testing.F)          { fuzzTool(f, bats, "bats") }
func FuzzShunit2(f *testing.F)       { fuzzTool(f, shunit2, "shunit2") }
func FuzzRspec(f *testing.F)         { fuzzTool(f, rspec, "rspec") }
func FuzzMinitest(f *testing.F)      { fuzzTool(f, minitest, "minitest") }
func FuzzPhpunit(f *testing.F)       { fuzzTool(f, phpunit, "phpunit", "phpunit-testdox") }
func FuzzProve(f *testing.F)         { fuzzTool(f, prove, "prove") }
func FuzzMaven(f *testing.F)         { fuzzTool(f, maven) }
func FuzzGradle(f *testing.F)        { fuzzTool(f, gradle) }
func FuzzGoBuild(f *testing.F)       { fuzzTool(f, goBuild, "go-build", "go-vet") }
func FuzzFlake8(f *testing.F)        { fuzzTool(f, flake8, "flake8") }
func FuzzGcc(f *testing.F)           { fuzzTool(f, gcc, "gcc") }
func FuzzLinker(f *testing.F)        { fuzzTool(f, linker) }
func FuzzPythonCrash(f *testing.F)   { fuzzTool(f, pythonCrash, "script") }
func FuzzNodeCrash(f *testing.F)     { fuzzTool(f, nodeCrash, "node-script") }
func FuzzGoCrash(f *testing.F)       { fuzzTool(f, goCrash, "go-run") }
func FuzzRustCrash(f *testing.F)     { fuzzTool(f, rustCrash, "cargo-test") }
func FuzzJavaCrash(f *testing.F)     { fuzzTool(f, javaCrash, "java") }
func FuzzRubyCrash(f *testing.F)     { fuzzTool(f, rubyCrash, "ruby") }
func FuzzPhpCrash(f *testing.F)      { fuzzTool(f, phpCrash, "phpunit") }
func FuzzSanitizer(f *testing.F)     { fuzzTool(f, sanitizer, "asan") }
func FuzzDart(f *testing.F)          { fuzzShape(f, dart, "dart", "flutter") }
func FuzzKotlin(f *testing.F)        { fuzzShape(f, kotlin, "kotlinc") }
func FuzzRuff(f *testing.F)          { fuzzShape(f, ruff, "ruff") }

// fuzzShape is fuzzTool for a tool of which there are only shapes.
func fuzzShape(f *testing.F, t tool, names ...string) {
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("testdata", "shapes", name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			f.Add(string(file.Data))
		}
	}
	fuzzTool(f, t)
}

// However lines are prefixed, what is taken away are prefixes of runners alone.
func FuzzUnprefixed(f *testing.F) {
	f.Add("a:test: x\na:test: y\na:test: \na:test: z\nb\n")
	f.Add("app-1  | x\napp-1  | y\napp-1  | z\napp-1  | z\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := unprefixed(text)
		if strings.Count(got, "\n") != strings.Count(text, "\n") || len(got) > len(text) {
			t.Errorf("unprefixed(%q) = %q; want as many lines, none longer", text, got)
		}
	})
}

func fuzzTool(f *testing.F, t tool, folders ...string) {
	for _, folder := range folders {
		for _, text := range seedsIn(f, folder) {
			f.Add(text)
		}
	}
	for _, m := range t.marks {
		f.Add(strings.TrimPrefix(m, ": ") + " x\n    y\n" + m + "\n")
	}
	f.Fuzz(func(t0 *testing.T, text string) {
		once, again := readBy(t, text), readBy(t, text)
		checkFound(t0, once)
		if a, b := once.tally.tests(), again.tally.tests(); once.distinct() != again.distinct() || a.Run != b.Run {
			t0.Errorf("read twice: %d and %d failures, %d and %d tests", once.distinct(), again.distinct(), a.Run, b.Run)
		}
	})
}

func readBy(t tool, text string) *found {
	p := pageOf(newCleaner(Output{}).text([]byte(text)))
	f := &found{}
	t.read(p, f)
	return f
}

// checkFound holds for all that is found in anything.
func checkFound(t *testing.T, f *found) {
	t.Helper()
	list, dropped := f.list()
	if len(list) > maxFailures || dropped < 0 {
		t.Errorf("%d failures and %d left out; want at most %d", len(list), dropped, maxFailures)
	}
	for _, r := range list {
		if r.Class == "" || len(r.ID) > maxID || len(r.Detail) > maxDetail+16 || !utf8.ValidString(r.ID+r.Class+r.Detail) {
			t.Errorf("failure %q: no class, too long, or no text", r)
		}
	}
	if n := f.tally.tests(); n.Run < 0 || n.Passed < 0 || n.Skipped < 0 || len(n.Green) > len(n.Ran) {
		t.Errorf("tests %+v; want no negative number and no more passed than ran", n)
	}
}

// seedsIn gives the texts of a folder of samples.
func seedsIn(f *testing.F, folder string) (texts []string) {
	f.Helper()
	for _, dir := range manifests {
		names, err := filepath.Glob(filepath.Join(dir, folder, "*"))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) > 0 && len(data) < 8000 {
				texts = append(texts, string(data))
			}
		}
	}
	if len(texts) == 0 {
		f.Fatalf("no samples in %q", folder)
	}
	return texts
}

func FuzzFormat(f *testing.F) {
	for i, folder := range []string{"node-junit", "vitest-junit", "go-test-json", "jest-json", "rspec-json", "eslint-json", "phpunit-junit", "pytest-junitxml"} {
		for _, text := range seedsIn(f, folder) {
			f.Add(uint8(i), text)
		}
	}
	f.Add(uint8(0), `{"results":{"tests":[{"name":"a","status":"failed","suite":["s"],"message":"m"}]}}`)
	f.Add(uint8(0), `{"runs":[{"results":[{"ruleId":"R","level":"error","message":{"text":"m"}}]}]}`)
	names := append(Formats(), "auto")
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		found := &found{}
		readFormat(newCleaner(Output{}).text([]byte(text)), names[int(i)%len(names)], found)
		checkFound(t, found)
	})
}

func FuzzExtract(f *testing.F) {
	for _, folder := range []string{"shell", "npm-test", "make-test", "node-spec", "pytest-junitxml"} {
		for _, text := range seedsIn(f, folder) {
			f.Add([]byte(text), []byte("error: x\r\n\x1b[31mnot ok\x1b[0m"), []byte(nil), 1)
		}
	}
	f.Fuzz(func(t *testing.T, stdout, stderr, report []byte, code int) {
		in := Output{ExitCode: code, Stdout: stdout, Stderr: stderr, Report: report, WorkTree: []string{"/w/tree"}, Temp: []string{"/w/tmp"}}
		r := Extract(in)
		passed := r.Check.ExitCode == 0
		if passed != (code == 0) || passed && len(r.Check.Failures) > 0 || !passed && len(r.Check.Failures) == 0 {
			t.Errorf("exit %d gives exit %d and %d failures; want failures if and only if it failed", code, r.Check.ExitCode, len(r.Check.Failures))
		}
		if a, b := sign(in), sign(in); !a.Same(b) {
			t.Errorf("the same output gives %s and %s", a.Input, b.Input)
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[1G a\x1b]0;t\x07\r\n/w/tree/a file:///w/tree/b\xff"))
	c := newCleaner(Output{WorkTree: []string{"/w/tree"}, Temp: []string{"/w/tree/tmp"}})
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := c.text(raw)
		if !utf8.ValidString(got) || hasControl(got) {
			t.Errorf("text(%q) = %q; want valid text without control characters", raw, got)
		}
		spotOf(got)
		withoutPlaces(got)
	})
}

func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(`[{"tool":"t","argv":["a"],"sample":"A","exit_code":1,"group":"g","level":"must"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadManifest(data)
		if err != nil && list != nil {
			t.Errorf("ReadManifest gives %d samples and %v; want one of both", len(list), err)
		}
	})
}
