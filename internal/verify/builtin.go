package verify

import (
	"maps"
	"path"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/round"
)

// Builtin is what is protected although nobody asked for it, and what the base
// holds. A "!glob" in loop.yaml's list of protected paths lifts any of it.
type Builtin struct {
	Named []string // files that the profiles name
	Globs []string
	Base  []string // all paths of the base, to find additions that differ from one in case only
}

// NewBuiltin works out what is protected for a repository whose loop.yaml is
// at config, a slash path from its root ("" where it is outside).
func NewBuiltin(config string, profiles map[string][]round.Check, base []string) Builtin {
	b := Builtin{Globs: slices.Clone(controlFiles), Base: base}
	if config != "" {
		home := path.Dir(config)
		b.Globs = append(b.Globs, config, path.Join(home, "tasks")+"/**", path.Join(home, ".loop")+"/**")
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		for _, c := range profiles[name] {
			b.Named = append(b.Named, namedBy(c)...)
			b.Globs = append(b.Globs, definedBy(c)...)
		}
	}
	slices.Sort(b.Named)
	b.Named = slices.Compact(b.Named)
	return b
}

// controlFiles steer what happens to the repository elsewhere: what git hides
// or converts, what runs on a commit, what runs on a server.
var controlFiles = []string{
	"**/.git/**", "**/.gitattributes", "**/.gitignore", "**/.gitmodules", ".lfsconfig", ".gitconfig",
	".githooks/**", ".git-hooks/**", ".hooks/**", ".husky/**", "**/lefthook*.{yml,yaml,toml,json}", ".lefthook/**", ".pre-commit-config.{yml,yaml}",
	".github/**", ".gitlab-ci.{yml,yaml}", ".gitlab/**", ".circleci/**", ".travis.yml", ".ci/**", ".buildkite/**", ".forgejo/**", ".gitea/**",
	".woodpecker/**", ".woodpecker.{yml,yaml}", ".drone.{yml,yaml}", ".cirrus.yml", ".semaphore/**", ".teamcity/**", ".azure-pipelines/**",
	"azure-pipelines.{yml,yaml}", "bitbucket-pipelines.yml", "{.,}appveyor.yml", "cloudbuild.{yml,yaml,json}", "jenkinsfile",
}

// definitions are the files in which a well-known command looks up what it is
// to do: who changes them changes the check. They hold for the check's directory.
var definitions = map[string][]string{
	"npm": {"package.json"}, "npx": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"},
	"make": {"makefile", "gnumakefile"}, "gmake": {"makefile", "gnumakefile"},
	"just": {"justfile", ".justfile"}, "task": {"taskfile.{yml,yaml}", "taskfile.dist.{yml,yaml}"},
	"pytest": {"**/conftest.py", "pytest.ini", ".pytest.ini", "tox.ini"}, "tox": {"tox.ini", "**/conftest.py"},
	"prove": {".proverc"}, "rspec": {".rspec"}, "cargo": {".cargo/**"},
}

func definedBy(c round.Check) []string {
	var list []string
	for _, w := range words(c.Run) {
		for _, file := range definitions[path.Base(w)] {
			list = append(list, path.Join(c.Dir, file))
		}
	}
	return list
}

// namedBy lists every path that a check's command could mean: its words, what
// stands behind an equals sign or before a colon, the file of a Python module.
// A word that is no path does no harm, as no candidate holds such a file.
func namedBy(c round.Check) []string {
	var list []string
	for _, w := range append(words(c.Run), c.Report) {
		local := path.Join(c.Dir, w)
		if w == "" || path.IsAbs(w) || local == "." || local == ".." || strings.HasPrefix(local, "../") {
			continue
		}
		list = append(list, local)
	}
	if slices.Contains(c.Run, "-m") {
		for _, w := range words(c.Run) {
			list = append(list, path.Join(c.Dir, strings.ReplaceAll(w, ".", "/")+".py"))
		}
	}
	return list
}

// words splits arguments as a shell would split the text that it is given with
// -c, and at the signs that join a path to something else.
func words(argv []string) []string {
	var list []string
	for _, arg := range argv {
		arg = strings.ReplaceAll(arg, `\`, "/")
		list = append(list, strings.FieldsFunc(arg, func(r rune) bool {
			return strings.ContainsRune(" \t\r\n;&|()<>\"'`$=:,", r)
		})...)
	}
	return list
}
