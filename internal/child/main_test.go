package child

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// fakes are the commands that the test binary can play.
var fakes = map[string]func(args []string){}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], "fake:"); ok {
			fakes[name](os.Args[2:])
			// os.Exit would wait a second under the race detector.
			syscall.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// fake is the argv of a fake command.
func fake(name string, args ...string) []string {
	return append([]string{os.Args[0], "fake:" + name}, args...)
}

// must ends a fake command that cannot do its work.
func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(99)
	}
	return v
}

// unique returns a string that no other test uses.
func unique(t *testing.T) string {
	return fmt.Sprintf("%s-%d-%d", strings.ReplaceAll(t.Name(), " ", "_"), os.Getpid(), time.Now().UnixNano())
}

// run runs c, which is to start.
func mustRun(t *testing.T, c Cmd) Result {
	t.Helper()
	res, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// shell is a script for the shell, with the commands of the system.
func shell(script string) Cmd {
	return Cmd{Argv: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Keep: 1 << 20}
}

func logIn(t *testing.T) string { return filepath.Join(t.TempDir(), "log") }
