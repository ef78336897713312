package verify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"looprun.dev/looprun/internal/child"
	"looprun.dev/looprun/internal/round"
)

// confined is a sandbox in which the programs of the system and this one run.
func confined(t *testing.T) child.Sandbox {
	t.Helper()
	abi := child.Landlock()
	if abi < child.FilesABI {
		t.Skipf("the kernel has version %d of Landlock, %d is needed", abi, child.FilesABI)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return child.Sandbox{ABI: abi, Read: []string{"/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", filepath.Dir(exe)}}
}

func sh(script string) round.Check {
	return round.Check{Run: []string{"/bin/sh", "-c", script}, Timeout: 30e9}
}

func TestAConfinedCheckWritesItsTreeItsHomeAndItsTemporaryFilesOnly(t *testing.T) {
	outside := t.TempDir()
	tests := map[string]struct {
		script string
		passes bool
	}{
		"its tree":         {"mkdir -p a && echo x >a/b && cat old", true},
		"its home":         {`echo x >"$HOME/x"`, true},
		"temporary files":  {`echo x >"$TMPDIR/x"`, true},
		"another folder":   {"echo x >" + outside + "/x", false},
		"the logs of it":   {"ls ../records", false},
		"what stands by":   {"cat ../secret", false},
		"others' TMPDIR":   {"ls /tmp", false},
		"through the tree": {"ln -s " + outside + " l && echo x >l/x", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			job := jobOf(t, map[string]string{"old": "x"}, sh(tt.script))
			writeTree(t, job.Home, map[string]string{"secret": "x"})
			job.Sandbox = confined(t)
			ev, err := Runner{}.Run(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			if got := ev.Passed(); got != tt.passes {
				t.Errorf("passed = %v; want %v: %+v", got, tt.passes, ev.Checks)
			}
		})
	}
}

func TestACheckThatTheSandboxKeepsFromStartingIsTheEnvironmentsFault(t *testing.T) {
	away := t.TempDir()
	if err := os.WriteFile(filepath.Join(away, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	job := jobOf(t, nil, round.Check{Run: []string{filepath.Join(away, "tool")}, Timeout: 30e9})
	job.Sandbox, job.InfraReruns = confined(t), 1
	ev, err := Runner{Wait: func(context.Context, time.Duration) error { return nil }}.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	got := ev.Checks[0].Failures
	if !ev.Infra || len(got) != 1 || got[0].Class != ToolMissing || !strings.Contains(got[0].Detail, "out of reach unless sandbox.read names the folder") {
		t.Errorf("infra %v, failures %+v; want one of class %s that names sandbox.read", ev.Infra, got, ToolMissing)
	}
}
