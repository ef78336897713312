//go:build unix

package acceptance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// hostileMain is a generator that tries everything but its work, and then does
// that. For each attack that its arguments name, or for all, it prints what came
// of it: "denied NAME" or "done NAME".
func hostileMain() {
	w := newWorld()
	names := os.Args[1:]
	if len(names) == 0 {
		for name := range hostilities {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		act := hostilities[name]
		if act == nil {
			act = pranks[name]
		}
		word := "done"
		if err := act(w); err != nil {
			word = "denied"
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
		fmt.Println(word, name)
	}
	check(os.WriteFile("a.txt", []byte("hello\n"), 0o644))
}

// A world is what an attacker who knows looprun well finds out about it.
type world struct {
	checkout string // VICTIM
	home     string // HOME
	id       string
	exchange string
	trees    string // where the trees of this .loop are
	state    string // what else belongs to this .loop
}

func newWorld() world {
	w := world{checkout: os.Getenv("VICTIM"), home: os.Getenv("HOME"), id: os.Getenv("LOOPRUN_TASK_ID")}
	w.exchange = filepath.Dir(os.Getenv("LOOPRUN_REQUEST"))
	w.state = filepath.Dir(filepath.Dir(w.exchange))
	sum := sha256.Sum256([]byte(filepath.Join(w.checkout, ".loop")))
	w.trees = filepath.Join(w.home, "looprun", hex.EncodeToString(sum[:8]))
	return w
}

func (w world) records(name string) string {
	return filepath.Join(w.checkout, ".loop", "tasks", w.id, name)
}

// hostilities are attacks by absolute paths and on the process of looprun.
var hostilities = map[string]func(world) error{
	"forge a finished task":    func(w world) error { return forge(w.checkout + "/tasks/done/forged.json") },
	"plant a task":             func(w world) error { return forge(w.checkout + "/tasks/inbox/planted.json") },
	"take a waiting task away": func(w world) error { return os.Remove(w.checkout + "/tasks/inbox/later.json") },
	"add to its journal":       func(w world) error { return add(w.records("journal.jsonl"), "{}\n") },
	"empty its journal":        func(w world) error { return os.Truncate(w.records("journal.jsonl"), 0) },
	"remove its records":       func(w world) error { return os.RemoveAll(w.records("")) },
	"read its journal":         func(w world) error { return read(w.records("journal.jsonl")) },
	"rewrite its state":        func(w world) error { return os.WriteFile(w.records("state.json"), []byte("{}\n"), 0o600) },
	"forge a result":           func(w world) error { return forge(w.checkout + "/.loop/results/" + w.id + ".json") },
	"link to its journal":      func(w world) error { return os.Link(w.records("journal.jsonl"), "hard") },
	"take the lock":            func(w world) error { return os.Remove(w.checkout + "/.loop/lock") },
	"set the pause flag":       func(w world) error { return forge(w.checkout + "/.loop/pause") },
	"change loop.yaml":         func(w world) error { return add(w.checkout+"/loop.yaml", "# mine\n") },
	"change git's config":      func(w world) error { return add(w.checkout+"/.git/config", "[core]\n") },
	"plant a hook":             func(w world) error { return forge(w.checkout + "/.git/hooks/post-checkout") },
	"move a branch":            func(w world) error { return forge(w.checkout + "/.git/refs/heads/evil") },
	"plant an object":          func(w world) error { return forge(w.checkout + "/.git/objects/evil") },
	"change the checkout":      func(w world) error { return add(w.checkout+"/a.txt", "mine\n") },
	"read what is uncommitted": func(w world) error { return read(w.checkout + "/.env") },
	"change a profile":         func(w world) error { return add(w.home+"/.bashrc", "mine\n") },
	"read a key":               func(w world) error { return read(w.home + "/.ssh/id_ed25519") },
	"list the home":            func(w world) error { return list(w.home) },
	"write the check tree":     func(w world) error { return forge(w.trees + "/trees/0/check/evil") },
	"write another's tree":     func(w world) error { return forge(w.trees + "/trees/evil") },
	"change looprun's git":     func(w world) error { return add(w.trees+"/ctl.git/config", "[core]\n") },
	"fill the checks' cache":   func(w world) error { return forge(w.state + "/cache/checks/evil") },
	"write to another task":    func(w world) error { return forge(w.state + "/exchange/evil") },
	"replace its exchange":     func(w world) error { return os.Rename(w.exchange, w.exchange+"-gone") },
	"replace its tmp":          func(world) error { return os.Rename(os.Getenv("TMPDIR"), os.Getenv("TMPDIR")+"-gone") },
	"write beside looprun":     besideLooprun,
	"see what others have":     func(world) error { return list("/tmp") },
	"write in /tmp":            func(world) error { return forge("/tmp/looprun-evil-" + strconv.Itoa(os.Getpid())) },
	"read a system secret":     func(world) error { return read("/etc/shadow") },
	"signal looprun":           func(world) error { return syscall.Kill(os.Getppid(), syscall.Signal(0)) },
	"read looprun's secrets":   func(world) error { return read("/proc/" + strconv.Itoa(os.Getppid()) + "/environ") },
	"write looprun's memory":   func(world) error { return add("/proc/"+strconv.Itoa(os.Getppid())+"/mem", "x") },
	"mount over the records":   func(w world) error { return command("mount", "--bind", ".", w.checkout+"/.loop") },
	"become another user":      func(world) error { return syscall.Setuid(1) },
}

// pranks are within a generator's reach: what it was given to read is in a
// folder that it may write.
var pranks = map[string]func(world) error{
	"rewrite its request":    func(w world) error { return os.WriteFile(w.exchange+"/request.json", []byte("{}\n"), 0o600) },
	"leave links and a pipe": traps,
}

// forge makes a file and takes it away again: the attempt is what counts.
func forge(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(path))
}

func add(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func list(path string) error {
	_, err := os.ReadDir(path)
	return err
}

func besideLooprun(world) error {
	path, err := exec.LookPath("looprun")
	if err != nil {
		return err
	}
	return forge(path + "-evil")
}

func command(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// traps puts into the places where looprun writes and reads for this task links
// that lead to the records, and a pipe that nobody ever fills.
func traps(w world) error {
	for _, name := range []string{"request.json", "prompt.md", "report.json", "effects.jsonl"} {
		check(os.RemoveAll(filepath.Join(w.exchange, name)))
	}
	check(os.Symlink(w.checkout+"/loop.yaml", w.exchange+"/request.json"))
	check(os.Symlink(w.home+"/.bashrc", w.exchange+"/prompt.md"))
	check(os.Symlink("/dev/zero", w.exchange+"/report.json"))
	return syscall.Mkfifo(w.exchange+"/effects.jsonl", 0o600)
}

// dialsMain exits with 0 if a port of the machine's own can be reached.
func dialsMain() {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	check(err)
	c, err := net.Dial("tcp4", l.Addr().String())
	check(err)
	check(errors.Join(c.Close(), l.Close()))
}
