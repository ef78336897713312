//go:build unix

package acceptance

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what README.md and docs show of looprun's output")

// What the pages show is what looprun prints: the commands of their console
// blocks are run, page by page, each in its own copy of this repository.
func TestThePagesShowWhatLooprunPrints(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("found %v: %v", pages, err)
	}
	for _, path := range append(pages, "../README.md") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := parseManual(string(data))
		if len(p.parts) < 2 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			rehearse(t, &p)
			if !*update || p.String() == string(data) {
				return
			}
			if err := os.WriteFile(path, []byte(p.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// rehearse runs the commands of a page in their order. Under -update, what is
// shown otherwise than it came is replaced.
func rehearse(t *testing.T, p *manual) {
	dir := sandbox(t)
	for i := range p.parts {
		each := &p.parts[i]
		if each.command == "" {
			continue
		}
		got, err := typed(dir, each.command, strings.Count(each.text, "\n"))
		if err != nil {
			t.Fatalf("$ %s: %v", each.command, err)
		}
		diff := unlike(each.text, got)
		if diff == "" {
			continue
		}
		if *update {
			each.text = got
			continue
		}
		t.Errorf("go test ./acceptance -run Pages -update shows it as it is (-shown +printed):\n$ %s\n%s", each.command, diff)
	}
}

// sandbox is a clone of this repository with the files as they are now. Its
// checks use the caches of whoever runs the test: with empty ones they would
// compile the standard library first.
func sandbox(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "looprun")
	must := func(name string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v", name, args, err)
		}
		return out
	}
	for path := range strings.SplitSeq(strings.TrimRight(string(must("git", "-C", "..", "ls-files", "-z")), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", path))
		if os.IsNotExist(err) && strings.HasPrefix(path, "tasks/") { // worked off here, as the README says first
			data, err = must("git", "-C", "..", "show", ":"+path), nil
		}
		if os.IsNotExist(err) {
			continue
		}
		if path == "loop.yaml" {
			data = []byte(strings.ReplaceAll(string(data), "{cache}/go-build", goEnv()["GOCACHE"]))
		}
		to := filepath.Join(dir, path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must("git", "-C", dir, "init", "-q", "-b", "main")
	must("git", "-C", dir, "add", "-A")
	must("git", "-C", dir, "-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "looprun")
	return dir
}

// typed is what a terminal shows of a command. One that stays until it is told
// to end is told so after as many lines as are shown of it.
func typed(dir, command string, lines int) (string, error) {
	line := strings.ReplaceAll(command, "go run ./cmd/looprun", "looprun")
	cmd := exec.Command("sh", "-c", "exec 2>&1\n"+line)
	home := filepath.Join(filepath.Dir(dir), "home")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8", "TZ=UTC", "NO_COLOR=1")
	for _, name := range goFolders {
		cmd.Env = append(cmd.Env, name+"="+goEnv()[name])
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = os.MkdirAll(home, 0o700)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	ending := false
	scan := bufio.NewScanner(out)
	for n := 1; scan.Scan(); n++ {
		if !ending {
			fmt.Fprintln(&b, scan.Text())
		}
		if n == lines && stays(line) {
			ending = true
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		}
	}
	_ = cmd.Wait() // how it ends is told by what it prints
	return b.String(), scan.Err()
}

func stays(line string) bool {
	return strings.HasPrefix(line, "looprun serve") || strings.HasPrefix(line, "looprun watch")
}
