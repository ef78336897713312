package generator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/fsx"
)

// A Login is where the login of a program may be. Files are below the home
// directory.
type Login struct {
	Env     []string
	Files   []string
	Command string // what makes one
}

// A Finding is one thing that was looked at, and what to do where it is not as
// it should be.
type Finding struct {
	Name string // installed, version, flags, login
	OK   bool
	Text string
	Hint string
}

// checkWall bounds how long a program may take to tell its version or its help.
const checkWall = 60 * time.Second

// Check looks whether a try could start: whether the adapter's program is
// there, of a known version, knows the flags that it would be given, and has a
// login. lookup gives the variables that a try would get. The program is asked
// in an empty home, so that it changes nothing; no model is.
func Check(ctx context.Context, a Adapter, lookup func(name string) (string, bool)) []Finding {
	c := checker{a: a, lookup: lookup}
	version, found := c.installed(ctx)
	findings := []Finding{found}
	if !found.OK || a.Read == nil {
		return findings
	}
	return append(findings, c.version(version), c.flags(ctx), c.login())
}

type checker struct {
	a      Adapter
	lookup func(name string) (string, bool)
}

func (c checker) installed(ctx context.Context) (version string, f Finding) {
	f = Finding{Name: "installed"}
	if len(c.a.Command) == 0 {
		f.Text, f.Hint = "no command is given", "set generator.command"
		return "", f
	}
	if c.a.Read == nil {
		return "", c.present(f)
	}
	out, ran, err := c.ask(ctx, "--version")
	switch {
	case err != nil:
		f.Text = err.Error()
	case ran.NotFound:
		f.Text = fmt.Sprintf("%q is not in PATH, or not executable", c.a.Command[0])
	case ran.Ended != child.Exit || ran.ExitCode != 0:
		f.Text = fmt.Sprintf("%s --version ended with %s %d", c.a.Command[0], ran.Ended, ran.ExitCode)
	default:
		first, _, _ := strings.Cut(out, "\n")
		f.OK, f.Text = true, clean(strings.Join(c.a.Command, " ")+": "+first, 200)
		return out, f
	}
	f.Hint = fmt.Sprintf("npm install -g %s@%s, or name the program in generator.command", c.a.Package, c.a.Tested)
	return "", f
}

// present looks for a program that nothing is known of: it is not started.
func (c checker) present(f Finding) Finding {
	name := c.a.Command[0]
	if strings.ContainsAny(name, `/`+string(filepath.Separator)) {
		info, err := os.Stat(name)
		f.OK = err == nil && info.Mode().IsRegular()
	} else {
		path, _ := c.lookup("PATH")
		f.OK = slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
			info, err := os.Stat(filepath.Join(dir, name))
			return filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular()
		})
	}
	if f.Text = name + " is there"; !f.OK {
		f.Text, f.Hint = fmt.Sprintf("%q is not there", name), "correct generator.command, or pass PATH in generator.env"
	}
	return f
}

// ask runs the program with some arguments in an empty home.
func (c checker) ask(ctx context.Context, args ...string) (string, child.Result, error) {
	home, err := fsx.Scratch("").MkdirTemp("looprun-check-")
	if err != nil {
		return "", child.Result{}, err
	}
	defer func() { _ = home.RemoveAll("") }()
	env := map[string]string{"HOME": string(home), "USERPROFILE": string(home), "TERM": "dumb"}
	maps.Copy(env, c.a.Env)
	for _, name := range []string{"PATH", "LANG", "SYSTEMROOT", "PATHEXT"} {
		if v, ok := c.lookup(name); ok {
			env[name] = v
		}
	}
	if v := c.a.Store.Var; v != "" {
		env[v] = home.Path("store")
	}
	var environ []string
	for name, v := range env {
		environ = append(environ, name+"="+strings.ReplaceAll(v, storeMark, home.Path("store")))
	}
	argv := append(slices.Clone(c.a.Command), args...)
	out, ran, err := child.Output(ctx, child.Cmd{Argv: argv, Dir: string(home), Env: environ, Wall: checkWall, MaxOutput: 4 << 20})
	return strings.TrimSpace(string(out) + "\n" + string(ran.Stderr.Head) + string(ran.Stderr.Tail)), ran, err
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+`)

func (c checker) version(told string) Finding {
	f := Finding{Name: "version"}
	got := versionNumber.FindString(told)
	switch {
	case got == "":
		f.Text = "tells no version"
		f.Hint = "looprun was tested with " + c.a.Tested
	case compareVersions(got, c.a.Tested) < 0:
		f.Text = got + " is older than " + c.a.Tested + ", with which looprun was tested"
		f.Hint = fmt.Sprintf("npm install -g %s@%s", c.a.Package, c.a.Tested)
	default:
		f.OK, f.Text = true, got+", tested with "+c.a.Tested
	}
	return f
}

// compareVersions compares two versions of three numbers.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if order := cmp.Compare(m, n); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(x), len(y))
}

// flags looks for the flags of a start in the program's own help.
func (c checker) flags(ctx context.Context) Finding {
	f := Finding{Name: "flags"}
	help, ran, err := c.ask(ctx, append(slices.Clone(c.a.First), "--help")...)
	if err != nil || ran.Ended != child.Exit {
		f.Text = "its help cannot be read"
		return f
	}
	var unknown []string
	for _, flag := range c.a.flags() {
		known := regexp.MustCompile(`(?m)(?:^|[\s,\[|(])` + regexp.QuoteMeta(flag) + `(?:$|[\s,=<\[\])|])`)
		if !known.MatchString(help) {
			unknown = append(unknown, flag)
		}
	}
	if f.OK = len(unknown) == 0; !f.OK {
		f.Text = "its help does not name " + strings.Join(unknown, ", ")
		f.Hint = fmt.Sprintf("npm install -g %s@%s", c.a.Package, c.a.Tested)
		return f
	}
	f.Text = "all known: " + strings.Join(c.a.flags(), " ")
	return f
}

// flags are those that a start may be given, each once.
func (a Adapter) flags() []string {
	var all []string
	for _, arg := range slices.Concat(a.Resume, a.Model, a.Fenced, a.Open, a.Always) {
		if len(arg) > 1 && arg[0] == '-' && !slices.Contains(all, arg) {
			all = append(all, arg)
		}
	}
	return all
}

func (c checker) login() Finding {
	f := Finding{Name: "login", OK: true}
	for _, name := range c.a.Login.Env {
		if v, ok := c.lookup(name); ok && v != "" {
			f.Text = name + " is passed"
			return f
		}
	}
	env := map[string]string{}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		env[name], _ = c.lookup(name)
	}
	for _, name := range c.a.Login.Files {
		if home := homeOf(env); home != "" {
			if info, err := os.Stat(filepath.Join(home, filepath.FromSlash(name))); err == nil && info.Size() > 0 {
				f.Text = "~/" + name + " is there"
				return f
			}
		}
	}
	f.OK, f.Text = false, "none was found"
	f.Hint = fmt.Sprintf("run %q, or name one of %s in generator.env.pass", c.a.Login.Command, strings.Join(c.a.Login.Env, ", "))
	return f
}
