//go:build linux || darwin

package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestRunTellsHowACommandEnded(t *testing.T) {
	type end struct {
		Ended    string
		ExitCode int
		Signal   string
	}
	for name, tt := range map[string]struct {
		script string
		want   end
	}{
		"well":            {"exit 0", end{Exit, 0, ""}},
		"with a code":     {"exit 139", end{Exit, 139, ""}},
		"by a crash":      {"kill -SEGV $$", end{Signal, -1, "SIGSEGV"}},
		"by its own TERM": {"kill -TERM $$", end{Signal, -1, "SIGTERM"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(tt.script)
			c.RunID = unique(t)
			res := mustRun(t, c)
			if d := cmp.Diff(tt.want, end{res.Ended, res.ExitCode, res.Signal}); d != "" {
				t.Errorf("Run (-want +got):\n%s", d)
			}
			if res.Duration <= 0 || res.Started.IsZero() || res.ProcessesEnded != 0 || res.NotFound {
				t.Errorf("Run = %+v", res)
			}
		})
	}
}

func TestRunOfWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain", "#!/bin/sh\n", 0o600)
	for name, tt := range map[string]struct {
		cmd  Cmd
		code int
	}{
		"a missing path":             {Cmd{Argv: []string{"/no/such/command"}}, 127},
		"a missing name":             {Cmd{Argv: []string{"no-such-command"}}, 127},
		"a file without permission":  {Cmd{Argv: []string{plain}}, 126},
		"a directory":                {Cmd{Argv: []string{dir}}, 126},
		"a file that is no program":  {Cmd{Argv: []string{file("text", "just text", 0o700)}}, 126},
		"a script without its shell": {Cmd{Argv: []string{file("script", "#!/no/such/shell\n", 0o700)}}, 127},
		"a path below a file":        {Cmd{Argv: []string{plain + "/x"}}, 127},
		"a name not in this PATH":    {Cmd{Argv: []string{"sh"}, Env: []string{"PATH=" + dir}}, 127},
		"a name only in the current directory": {
			Cmd{Argv: []string{"script"}, Dir: dir, Env: []string{"PATH=:."}}, 127},
		"a name that is not executable in PATH": {
			Cmd{Argv: []string{"plain"}, Env: []string{"PATH=/nowhere:" + dir}}, 126},
	} {
		t.Run(name, func(t *testing.T) {
			tt.cmd.RunID = unique(t)
			res := mustRun(t, tt.cmd)
			if !res.NotFound || res.ExitCode != tt.code {
				t.Errorf("Run: NotFound, ExitCode = %v, %d; want true, %d", res.NotFound, res.ExitCode, tt.code)
			}
			_, res, err := Output(t.Context(), tt.cmd)
			if !res.NotFound || res.ExitCode != tt.code || err != nil {
				t.Errorf("Output: NotFound, ExitCode = %v, %d, %v; want true, %d", res.NotFound, res.ExitCode, err, tt.code)
			}
		})
	}
}

func TestRunCannotTell(t *testing.T) {
	for name, c := range map[string]Cmd{
		"without a command":       {},
		"in a missing directory":  {Argv: []string{"true"}, Dir: "/no/such/dir"},
		"in a file":               {Argv: []string{"true"}, Dir: "/etc/passwd"},
		"with a missing launcher": {Argv: []string{"true"}, Wrap: []string{"/no/such/launcher"}},
		"with a log nowhere":      {Argv: []string{"true"}, Stdout: "/no/such/dir/log"},
		"with a broken argument":  {Argv: []string{"true", "a\x00b"}},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := Run(t.Context(), c)
			if err == nil || res.NotFound {
				t.Errorf("Run = %+v, %v; want an error", res, err)
			}
		})
	}
}

func TestCommandsAreFound(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own"), []byte("#!/bin/sh\necho own $1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Cmd{
		"by an absolute path":             {Argv: []string{filepath.Join(dir, "own"), "1"}},
		"by a path from their directory":  {Argv: []string{"./own", "1"}, Dir: dir},
		"by PATH":                         {Argv: []string{"own", "1"}, Env: []string{"PATH=/nowhere:" + dir}},
		"by the last PATH":                {Argv: []string{"own", "1"}, Env: []string{"PATH=/nowhere", "PATH=" + dir}},
		"behind a launcher":               {Argv: []string{"./own", "1"}, Dir: dir, Wrap: []string{"env", "-i"}},
		"from a directory relative to us": {Argv: []string{"./own", "1"}, Dir: relative(t, dir)},
	} {
		t.Run(name, func(t *testing.T) {
			c.Keep = 100
			if res := mustRun(t, c); string(res.Stdout.Head) != "own 1\n" {
				t.Errorf("stdout = %q; want %q (%+v)", res.Stdout.Head, "own 1\n", res)
			}
		})
	}
}

func relative(t *testing.T, dir string) string {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(wd, dir)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func TestRunPassesExactlyTheEnvironment(t *testing.T) {
	t.Setenv("LOOPRUN_TEST_SECRET", "leaked")
	c := Cmd{Argv: []string{"/usr/bin/env"}, Env: []string{"B=1", "A=2", "B=3"}, RunID: unique(t), Keep: 4096}
	got := strings.Fields(string(mustRun(t, c).Stdout.Head))
	slices.Sort(got)
	want := []string{"A=2", "B=3", "LOOPRUN_RUN_ID=" + c.RunID}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("env (-want +got):\n%s", d)
	}
	if res := mustRun(t, Cmd{Argv: []string{"/usr/bin/env"}, Keep: 4096}); len(res.Stdout.Head) > 0 {
		t.Errorf("env without Env = %q; want nothing", res.Stdout.Head)
	}
}

func TestStdin(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for name, tt := range map[string]struct {
		stdin  []byte
		script string
		want   string
	}{
		"is what was given, then ends":        {large, "wc -c", fmt.Sprint(len(large))},
		"is empty by default":                 {nil, "wc -c", "0"},
		"need not be read":                    {large, "echo ok", "ok"},
		"may be closed at once":               {large, "exec <&-; echo ok", "ok"},
		"may be read in part":                 {large, "head -c 10", "0123456789"},
		"may be left to one that never reads": {large, "sleep 60 >/dev/null 2>&1 & echo ok", "ok"},
		"is never a terminal":                 {nil, "test ! -t 0 && ! cat /dev/tty 2>/dev/null && echo none", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(tt.script)
			c.Stdin, c.RunID = tt.stdin, unique(t)
			res := mustRun(t, c)
			if got := strings.TrimSpace(string(res.Stdout.Head)); got != tt.want || res.ExitCode != 0 {
				t.Errorf("%s = %q, exit %d; want %q", tt.script, got, res.ExitCode, tt.want)
			}
			c.RunID = ""
			if out, _, err := Output(t.Context(), c); err != nil || strings.TrimSpace(string(out)) != tt.want {
				t.Errorf("Output = %q, %v; want %q", out, err, tt.want)
			}
		})
	}
}

func TestStarted(t *testing.T) {
	c := shell("echo $$; exec sleep 0.05")
	c.RunID = unique(t)
	var got Proc
	c.Started = func(p Proc) {
		got = p
		if now, err := look(p.PID); err != nil || now.start != p.Start {
			t.Errorf("look(%d) = %+v, %v; want start %d", p.PID, now, err, p.Start)
		}
		if sid, err := unix.Getsid(p.PID); sid != p.PID || err != nil {
			t.Errorf("session = %d, %v; want its own, %d", sid, err, p.PID)
		}
	}
	res := mustRun(t, c)
	id, err := boot()
	if err != nil || got.Boot != id || fmt.Sprintf("%d\n", got.PID) != string(res.Stdout.Head) {
		t.Errorf("Started got %+v; want pid %s, boot %q, %v", got, res.Stdout.Head, id, err)
	}
}

// Another thread of looprun may have written the command just now.
func TestRunWaitsForTheWriterOfTheCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "command")
	body, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Skip("no /bin/true here")
	}
	if err := os.WriteFile(path, body, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := Run(t.Context(), Cmd{Argv: []string{path}}); !errors.Is(err, syscall.ETXTBSY) {
		t.Errorf("Run = %+v, %v; want text file busy", res, err)
	}
	time.AfterFunc(10*time.Millisecond, func() { f.Close() })
	if res, err := Run(t.Context(), Cmd{Argv: []string{path}}); err != nil || res.ExitCode != 0 {
		t.Errorf("Run = %+v, %v; want exit 0", res, err)
	}
}
