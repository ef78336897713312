package cli

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A suite is how a kind of project is tested, as a profile of loop.yaml.
type suite struct {
	name   string
	run    []string
	setup  []string // makes a new tree ready; nil: nothing to do
	inputs []string // of setup
	share  []string
	env    [][2]string
	tests  string // glob of the files that hold the tests
}

// A project is a folder in which to look for what tests it.
type project struct {
	dir  string
	home string // of the user, "" if unknown
}

// suites are the test commands that the files at the top of a repository speak
// of. A make target is a last resort: it mostly calls one of the others.
func (p project) suites() []suite {
	var all []suite
	for _, find := range []func() (suite, bool){p.golang, p.rust, p.node, p.python, p.maven, p.gradle, p.ruby, p.elixir, p.deno} {
		if s, ok := find(); ok {
			all = append(all, s)
		}
	}
	if s, ok := p.made(); ok && len(all) == 0 {
		all = append(all, s)
	}
	return all
}

func (p project) has(names ...string) bool {
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(p.dir, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// read is the beginning of a file, nil where there is none.
func (p project) read(name string) []byte {
	f, err := openRegular(filepath.Join(p.dir, name))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return data
}

// golang gives the checks caches of their own: they have no home to keep them in.
func (p project) golang() (suite, bool) {
	return suite{
		name: "go", run: []string{"go", "test", "-v", "-count=1", "./..."}, tests: "**/*_test.go",
		env: [][2]string{{"GOCACHE", "{cache}/go-build"}, {"GOMODCACHE", "{cache}/go-mod"}},
	}, p.has("go.mod")
}

// rust needs the toolchains that rustup keeps in the user's home.
func (p project) rust() (suite, bool) {
	s := suite{name: "rust", run: []string{"cargo", "test"}, tests: "tests/**", env: [][2]string{{"CARGO_HOME", "{cache}/cargo"}}}
	toolchains := filepath.Join(p.home, ".rustup")
	if info, err := os.Stat(toolchains); err == nil && info.IsDir() && p.home != "" {
		s.env = append(s.env, [2]string{"RUSTUP_HOME", toolchains})
	}
	return s, p.has("Cargo.toml")
}

// node takes a package that has a test script of its own, not the one that npm
// init writes.
func (p project) node() (suite, bool) {
	var pkg struct {
		Scripts struct {
			Test string `json:"test"`
		} `json:"scripts"`
		Dependencies    map[string]any `json:"dependencies"`
		DevDependencies map[string]any `json:"devDependencies"`
	}
	if json.Unmarshal(p.read("package.json"), &pkg) != nil || pkg.Scripts.Test == "" || strings.Contains(pkg.Scripts.Test, "no test specified") {
		return suite{}, false
	}
	s := suite{name: "node", run: []string{"npm", "test"}, tests: "**/*.test.*", env: [][2]string{{"npm_config_cache", "{cache}/npm"}}}
	locks := []struct {
		file       string
		run, setup []string
	}{
		{"pnpm-lock.yaml", []string{"pnpm", "test"}, []string{"pnpm", "install", "--frozen-lockfile"}},
		{"yarn.lock", []string{"yarn", "test"}, []string{"yarn", "install", "--frozen-lockfile"}},
		{"bun.lock", []string{"bun", "run", "test"}, []string{"bun", "install", "--frozen-lockfile"}},
		{"bun.lockb", []string{"bun", "run", "test"}, []string{"bun", "install", "--frozen-lockfile"}},
		{"package-lock.json", []string{"npm", "test"}, []string{"npm", "ci"}},
	}
	for _, lock := range locks {
		if !p.has(lock.file) {
			continue
		}
		s.run = lock.run
		if len(pkg.Dependencies)+len(pkg.DevDependencies) > 0 {
			s.setup, s.inputs = lock.setup, []string{"package.json", lock.file}
		}
		break
	}
	return s, true
}

var usesPytest = regexp.MustCompile(`(?i)\bpytest\b`)

func (p project) python() (suite, bool) {
	s := suite{name: "python", run: []string{"python3", "-m", "pytest", "-q"}, tests: "**/test_*.py"}
	configured := usesPytest.Match(p.read("pyproject.toml")) || usesPytest.Match(p.read("setup.cfg")) || usesPytest.Match(p.read("tox.ini")) ||
		usesPytest.Match(p.read("requirements.txt")) || usesPytest.Match(p.read("requirements-dev.txt"))
	tests, _ := filepath.Glob(filepath.Join(p.dir, "tests", "test_*.py"))
	switch {
	case !configured && !p.has("pytest.ini", "conftest.py") && len(tests) == 0:
		return suite{}, false
	case p.has("uv.lock"):
		s.run, s.env = []string{"uv", "run", "pytest", "-q"}, [][2]string{{"UV_CACHE_DIR", "{cache}/uv"}}
	case p.has("poetry.lock"):
		s.run, s.env = []string{"poetry", "run", "pytest", "-q"}, [][2]string{{"POETRY_CACHE_DIR", "{cache}/poetry"}}
	case p.has(".venv/bin/python"):
		s.run, s.share = []string{".venv/bin/python", "-m", "pytest", "-q"}, []string{".venv"}
	}
	return s, true
}

func (p project) maven() (suite, bool) {
	s := suite{name: "maven", run: []string{"mvn", "-q", "test"}, tests: "src/test/**", env: [][2]string{{"MAVEN_OPTS", "-Dmaven.repo.local={cache}/m2"}}}
	if p.has("mvnw") {
		s.run[0] = "./mvnw"
	}
	return s, p.has("pom.xml")
}

func (p project) gradle() (suite, bool) {
	s := suite{name: "gradle", run: []string{"gradle", "test"}, tests: "src/test/**", env: [][2]string{{"GRADLE_USER_HOME", "{cache}/gradle"}}}
	if p.has("gradlew") {
		s.run[0] = "./gradlew"
	}
	return s, p.has("build.gradle", "build.gradle.kts")
}

func (p project) ruby() (suite, bool) {
	s := suite{name: "ruby", run: []string{"bundle", "exec", "rake", "test"}, tests: "test/**", env: [][2]string{{"BUNDLE_PATH", "{cache}/bundle"}},
		setup: []string{"bundle", "install"}, inputs: []string{"Gemfile", "Gemfile.lock"}}
	if p.has(".rspec", "spec/spec_helper.rb") {
		s.run, s.tests = []string{"bundle", "exec", "rspec"}, "spec/**"
	}
	return s, p.has("Gemfile") && p.has(".rspec", "spec/spec_helper.rb", "Rakefile")
}

func (p project) elixir() (suite, bool) {
	return suite{name: "elixir", run: []string{"mix", "test"}, tests: "test/**", env: [][2]string{{"MIX_HOME", "{cache}/mix"}, {"HEX_HOME", "{cache}/hex"}}}, p.has("mix.exs")
}

func (p project) deno() (suite, bool) {
	return suite{name: "deno", run: []string{"deno", "test"}, tests: "**/*_test.ts", env: [][2]string{{"DENO_DIR", "{cache}/deno"}}}, p.has("deno.json", "deno.jsonc")
}

var (
	testTarget = regexp.MustCompile(`(?m)^(test|check)[ \t]*:([^=]|$)`)
	testRecipe = regexp.MustCompile(`(?m)^@?test\b[^:\n]*:([^=]|$)`)
)

// made are the runners of tasks, where they know one that is called test.
func (p project) made() (suite, bool) {
	for _, file := range []string{"GNUmakefile", "Makefile", "makefile"} {
		if m := testTarget.FindSubmatch(p.read(file)); m != nil {
			return suite{name: "make", run: []string{"make", string(m[1])}}, true
		}
	}
	for _, file := range []string{"justfile", "Justfile", ".justfile"} {
		if testRecipe.Match(p.read(file)) {
			return suite{name: "just", run: []string{"just", "test"}}, true
		}
	}
	return suite{}, false
}
