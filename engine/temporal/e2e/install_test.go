//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a user gets who installs both programs, from a module proxy of files
// that is made of the working tree.
func TestBothProgramsInstallFromAProxy(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	proxy := exec.Command(filepath.Join(root, ".ci", "module-proxy"), filepath.Join(dir, "proxy"))
	if out, err := proxy.CombinedOutput(); err != nil {
		t.Fatalf("module-proxy: %v\n%s", err, out)
	}
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "GOBIN="+filepath.Join(dir, "bin"), "GOMODCACHE="+filepath.Join(dir, "cache"),
		"GONOSUMDB=looprun.dev", "GOPROXY=file://"+filepath.Join(dir, "proxy")+",file://"+modCache(t)+"/cache/download,https://proxy.golang.org")
	for _, pkg := range []string{"looprun.dev/looprun/cmd/looprun", "looprun.dev/looprun/engine/temporal/cmd/looprun-temporal"} {
		install := exec.Command("go", "install", pkg+"@v0.1.0")
		install.Dir, install.Env = dir, env
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("go install %s: %v\n%s", pkg, err, out)
		}
	}
	help := exec.Command(filepath.Join(dir, "bin", "looprun"), "temporal", "--help")
	out, err := help.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "looprun-temporal [command]") {
		t.Errorf("looprun temporal --help = %v\n%s\nwant the other program's help", err, out)
	}
}

func modCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
