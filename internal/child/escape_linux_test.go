package child

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// An escape is a way to stay behind. Each generation of processes that leads
// to the one that stays is named by a word: how it is started, or what it does.
var escapes = map[string]string{
	"a child in the background":                 "",
	"a child in a group of its own":             "group",
	"a child in a session of its own":           "session",
	"an orphan":                                 "fork",
	"an orphan in a session of its own":         "fork session",
	"an orphan whose parents all have sessions": "session fork session fork session fork",
	"an orphan without environment":             "noenv session fork noenv session",
	"an orphan with all descriptors closed":     "session fork close",
	"one that ignores every signal it can":      "ignore",
	"an orphan that ignores every signal":       "session fork ignore",
	"a stopped child":                           "stop",
	"a stopped orphan that ignores signals":     "session fork ignore stop",
	"one that keeps the output open":            "session",
	"the orphan of a reaper":                    "session reaper fork session",
	"one whose first thread has ended":          "thread",
	"an orphan whose first thread has ended":    "session fork thread",
	"one that hides its environment":            "session fork hide",
	"one that hands over to a new process":      "relay",
	"one that hands over to new sessions":       "session fork relay session",
	"one that leaves dead children behind":      "session fork zombies",
	"one that leaves its cgroup":                "session fork noenv leave",
	"one that makes a cgroup of its own":        "session nest ignore",
	"the first process of a pid namespace":      "pidspace ignore",
}

func init() {
	fakes["escape"] = escape
	fakes["relay"] = relay
}

// stay bounds how long an escape lives that a faulty sweep has missed.
const stay = 20 * time.Second

// escape plays one generation and starts the next. The last one says through
// descriptor 3 that it is there, and stays.
func escape(args []string) {
	token, words := args[0], args[1:]
	for i, word := range words {
		attr := &syscall.SysProcAttr{}
		env := os.Environ()
		switch word {
		case "noenv":
			env = []string{}
			fallthrough
		case "session":
			attr.Setsid = true
		case "group":
			attr.Setpgid = true
		case "pidspace":
			attr.Cloneflags = unix.CLONE_NEWPID
		case "fork":
		case "relay":
			relay(args)
			return
		default:
			behave(word)
			continue
		}
		cmd := generation("escape", append([]string{token}, words[i+1:]...))
		cmd.SysProcAttr, cmd.Env = attr, env
		must(0, cmd.Start())
		if word == "fork" {
			syscall.Exit(0)
		}
		cmd.Wait()
		time.Sleep(stay)
	}
	arrived()
	if len(words) > 0 && words[len(words)-1] == "stop" {
		must(0, unix.Kill(os.Getpid(), unix.SIGSTOP))
	}
	if strings.Contains(strings.Join(words, " "), "thread") {
		unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	}
	time.Sleep(stay)
}

// behave makes the process harder to find or to end.
func behave(word string) {
	switch word {
	case "ignore":
		signal.Ignore()
	case "close":
		for fd := range 3 {
			unix.Close(fd)
		}
	case "reaper":
		must(0, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	case "hide":
		must(0, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	case "zombies":
		for range 3 {
			must(0, exec.Command("true").Start())
		}
	case "thread":
		runtime.LockOSThread()
	case "leave":
		if dir := ownCgroup(); dir != "" {
			_ = os.WriteFile(filepath.Join(filepath.Dir(dir), "cgroup.procs"), []byte("0"), 0)
		}
	case "nest":
		if dir := ownCgroup(); dir != "" {
			inner := filepath.Join(dir, "inner")
			must(0, os.Mkdir(inner, 0o755))
			must(0, os.WriteFile(filepath.Join(inner, "cgroup.procs"), []byte("0"), 0))
		}
	}
}

// ownCgroup is "" unless a run has made it.
func ownCgroup() string {
	own, _ := os.ReadFile("/proc/self/cgroup")
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	if dir := cgroupDir(string(own), string(mounts)); strings.HasPrefix(filepath.Base(dir), cgroupPrefix) {
		return dir
	}
	return ""
}

func generation(name string, args []string) *exec.Cmd {
	argv := fake(name, args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "arrived")}
	return cmd
}

func arrived() {
	f := os.NewFile(3, "arrived")
	f.Write([]byte("."))
	f.Close()
}

// relay replaces itself by a new process again and again.
func relay(args []string) {
	born := must(strconv.ParseInt(args[0][strings.LastIndexByte(args[0], '-')+1:], 10, 64))
	if time.Since(time.Unix(0, born)) > stay {
		return
	}
	cmd := generation("relay", args)
	if args[len(args)-1] == "session" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	must(0, cmd.Start())
	arrived()
}

func init() {
	// leave starts an escape, waits until it has arrived, and ends.
	fakes["leave"] = func(args []string) {
		r, w, err := os.Pipe()
		must(0, err)
		argv := fake("escape", args...)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Stdout, cmd.ExtraFiles = os.Stdout, []*os.File{w}
		must(0, cmd.Start())
		w.Close()
		must(r.Read(make([]byte, 1)))
	}
}

func TestRunLeavesNothingBehind(t *testing.T) {
	for _, level := range []string{Cgroup, Subreaper} {
		t.Run(level, func(t *testing.T) {
			if level == Cgroup && cgroupBase() == "" {
				t.Skip("no cgroup can be made here")
			}
			for name, words := range escapes {
				t.Run(name, func(t *testing.T) {
					if strings.Contains(words, "pidspace") && os.Geteuid() != 0 {
						t.Skip("only root makes pid namespaces")
					}
					testEscape(t, level, words)
				})
			}
		})
	}
}

// Landlock and what a launcher takes of privileges change nothing of that.
func TestRunLeavesNothingBehindOfASandbox(t *testing.T) {
	s := confined(t)
	level := Subreaper
	if cgroupBase() != "" {
		level = Cgroup
	}
	for name, words := range escapes {
		if strings.Contains(words, "pidspace") || strings.Contains(words, "nest") { // denied
			continue
		}
		t.Run(name, func(t *testing.T) { testEscape(t, level, words, s.Wrap()...) })
		if OwnMounts() {
			fixed := s
			fixed.Fixed = []string{"/etc"}
			t.Run(name+", with mounts of its own", func(t *testing.T) { testEscape(t, level, words, fixed.Wrap()...) })
		}
	}
}

func testEscape(t *testing.T, level, words string, wrap ...string) {
	token := unique(t)
	c := Cmd{
		Wrap: wrap,
		Argv: fake("leave", append([]string{token}, strings.Fields(words)...)...),
		Env:  []string{"PATH=" + os.Getenv("PATH")}, RunID: token, Keep: 4096,
		Grace: 50 * time.Millisecond,
	}
	if level != Cgroup {
		c.level = level
	}
	res := mustRun(t, c)
	if res.Ended != Exit || res.ExitCode != 0 {
		t.Fatalf("Ended, ExitCode = %s, %d; want exit, 0 (%s)", res.Ended, res.ExitCode, res.Stderr.Head)
	}
	if res.Level != level {
		t.Errorf("Level = %s; want %s", res.Level, level)
	}
	if res.ProcessesEnded == 0 {
		t.Error("ProcessesEnded = 0; want some")
	}
	if left := running(token); len(left) > 0 {
		t.Errorf("still running: %v", left)
		for _, pid := range left {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
	if none, _ := childless(); !none {
		// One that was dying as the run ended has its status taken by the next.
		mustRun(t, Cmd{Argv: []string{"true"}, Env: c.Env, RunID: token + "-next", level: c.level})
		if none, _ := childless(); !none {
			t.Error("a child is left, dead or alive")
		}
	}
}

// running lists the processes that have token among their arguments.
func running(token string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		line, _ := os.ReadFile(path)
		if !bytes.Contains(line, []byte(token)) {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		if p, err := look(pid); err == nil && !p.dead {
			pids = append(pids, pid)
		}
	}
	return pids
}
