//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A contestant runs n times /bin/true.
type contestant struct {
	name    string
	needs   string              // a program; "" is looprun or nothing
	prepare func(s scene) error // not measured
	work    func(s scene) error
}

// A scene is a folder for one contestant.
type scene struct {
	bench
	dir string
	n   int
}

var contestants = []contestant{
	{"xargs, two processes a task", "xargs", nil, func(s scene) error {
		return s.run(strings.NewReader(strings.Repeat("x\n", 2*s.n)), "xargs", "-n1", "/bin/true")
	}},
	{"a bare loop with the same fsyncs and processes", "", nil, floor},
	{"looprun, in place", "", func(s scene) error { return s.repository("in_place", true) }, looprunRun},
	{"looprun, isolated", "", func(s scene) error { return s.repository("isolated", true) }, looprunRun},
	{"filespooler, nothing made durable", "fspl", spool, func(s scene) error {
		return s.run(nil, "fspl", "--log-level", "error", "queue-process", "-q", s.path("queue"), "/bin/true")
	}},
	{"nq, a process for each to queue it", "nq", nil, func(s scene) error {
		for range s.n {
			if err := s.run(nil, "nq", "-q", "/bin/true"); err != nil {
				return err
			}
		}
		return s.run(nil, "nq", "-w")
	}},
	{"looprun add, a process for each, then run", "", func(s scene) error { return s.repository("in_place", false) }, func(s scene) error {
		for i := range s.n {
			if err := s.run(bytes.NewReader(task(i)), s.looprun(), "add", "-"); err != nil {
				return err
			}
		}
		return looprunRun(s)
	}},
	{"task-spooler, nothing on disk", "tsp", nil, func(s scene) error {
		for range s.n {
			if err := s.run(nil, "tsp", "-n", "/bin/true"); err != nil {
				return err
			}
		}
		return errors.Join(s.run(nil, "tsp", "-w"), s.run(nil, "tsp", "-K"))
	}},
}

// scene is a folder for n tasks, in dir.
func (b bench) scene(dir string, n int) (scene, error) {
	s := scene{bench: b, dir: filepath.Join(dir, "work"), n: n}
	return s, os.Mkdir(s.dir, 0o755)
}

func (s scene) path(name string) string { return filepath.Join(s.dir, name) }

// run runs a command in the scene's folder.
func (s scene) run(in interface{ Read([]byte) (int, error) }, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = s.dir, in
	if in == nil {
		cmd.Stdin = nil
	}
	cmd.Env = s.env()
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %.500s", strings.Join(argv, " "), err, said.String())
	}
	return nil
}

// env keeps what a contestant writes within its folder, and looprun's trees out
// of the repository there.
func (s scene) env() []string {
	return append(os.Environ(), "NQDIR="+s.dir, "TS_SOCKET="+s.path("socket"), "TMPDIR="+filepath.Dir(s.dir), "TS_MAXFINISHED=1000000",
		"HOME="+filepath.Dir(s.dir), "XDG_STATE_HOME="+filepath.Join(filepath.Dir(s.dir), "state"), "GIT_CONFIG_NOSYSTEM=1")
}

func looprunRun(s scene) error {
	if err := s.run(nil, s.looprun(), "run"); err != nil {
		return err
	}
	done, err := os.ReadDir(s.path("tasks/done"))
	if err == nil && len(done) != s.n {
		err = fmt.Errorf("%d tasks are done; want %d", len(done), s.n)
	}
	return err
}

const loopYAML = `version: 1
workspace: {mode: %s}
generator: {command: [/bin/true]}
verification:
  profiles: {ok: [{run: [/bin/true]}]}
  baseline: false
  canary: false
sandbox: off
`

func task(i int) []byte {
	return fmt.Appendf(nil, `{"id": "t%06d", "goal": "nothing", "verify": ["ok"]}`, i)
}

// repository makes one with a loop.yaml, and drops the tasks into inbox.
func (s scene) repository(mode string, drop bool) error {
	err := errors.Join(os.MkdirAll(s.path("tasks/inbox"), 0o755),
		os.WriteFile(s.path("loop.yaml"), fmt.Appendf(nil, loopYAML, mode), 0o644),
		os.WriteFile(s.path(".gitignore"), []byte("/tasks/\n/.loop/\n"), 0o644),
		s.run(nil, "git", "init", "-q", "-b", "main"), s.run(nil, "git", "add", "-A"),
		s.run(nil, "git", "-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "base"))
	for i := 0; drop && i < s.n && err == nil; i++ {
		err = os.WriteFile(s.path(fmt.Sprintf("tasks/inbox/t%06d.json", i)), task(i), 0o644)
	}
	return err
}

// spool fills filespooler's queue.
func spool(s scene) error {
	if err := s.run(nil, "fspl", "queue-init", "-q", s.path("queue")); err != nil {
		return err
	}
	script := fmt.Sprintf(`for i in $(seq %d); do fspl prepare -s seq | fspl queue-write -q queue || exit 1; done`, s.n)
	return s.run(nil, "sh", "-c", script)
}

// floor is what no durable queue can do without: per task two moves, a new
// folder, four lines of a journal and two processes.
func floor(s scene) error {
	for _, name := range []string{"inbox", "processing", "done", "records"} {
		if err := os.Mkdir(s.path(name), 0o755); err != nil {
			return err
		}
	}
	for i := range s.n {
		if err := floorTask(s, fmt.Sprintf("t%06d", i)); err != nil {
			return err
		}
	}
	return nil
}

func floorTask(s scene, id string) error {
	folder := filepath.Join("records", id)
	err := errors.Join(os.WriteFile(s.path("inbox/"+id), task(0), 0o644), s.move(id, "inbox", "processing"),
		os.Mkdir(s.path(folder), 0o755), s.sync("records"))
	if err != nil {
		return err
	}
	journal, err := os.OpenFile(s.path(folder+"/journal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer journal.Close()
	err = s.sync(folder)
	for line := range 4 {
		_, e := journal.Write(make([]byte, 1000))
		err = errors.Join(err, e, journal.Sync())
		if line == 1 || line == 2 {
			err = errors.Join(err, s.run(nil, "/bin/true"))
		}
	}
	return errors.Join(err, s.move(id, "processing", "done"))
}

func (s scene) move(name, from, to string) error {
	return errors.Join(os.Link(s.path(from+"/"+name), s.path(to+"/"+name)), s.sync(to), os.Remove(s.path(from+"/"+name)), s.sync(from))
}

func (s scene) sync(name string) error {
	d, err := os.Open(s.path(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
