package web_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user that is not us.
const nobody = 65534

// callerVar makes this test binary a client: it holds the address.
const callerVar = "LOOPRUN_TEST_CALLER"

func TestMain(m *testing.M) {
	if addr := os.Getenv(callerVar); addr != "" {
		answer, err := http.Get(addr)
		if err != nil {
			os.Exit(99)
		}
		os.Stdout.WriteString(answer.Status)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestAnotherUserOfTheMachineIsNotAnswered(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	binary := filepath.Join(t.TempDir(), "caller")
	copyFile(t, binary)
	base := serve(t, newPlace(t))
	for name, tc := range map[string]struct {
		uid  uint32
		want string
	}{"us": {0, "200 OK"}, "another": {nobody, "403 Forbidden"}} {
		cmd := exec.Command(binary)
		cmd.Dir, cmd.Env = "/", []string{callerVar + "=" + base + "/"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: tc.uid, Gid: tc.uid, NoSetGroups: true}}
		got, err := cmd.Output()
		if err != nil || string(got) != tc.want {
			t.Errorf("%s is answered %q, %v; want %q", name, got, err, tc.want)
		}
	}
	answer, err := http.Get(base)
	must(t, err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("our own request is answered %s", answer.Status)
	}
}

// copyFile puts this binary where everybody may run it.
func copyFile(t *testing.T, to string) {
	t.Helper()
	from, err := os.Executable()
	must(t, err)
	in, err := os.Open(from)
	must(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(out, in)
	must(t, err, out.Close())
	for dir := filepath.Dir(to); dir != "/tmp" && dir != "/" && strings.HasPrefix(dir, os.TempDir()); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
}
