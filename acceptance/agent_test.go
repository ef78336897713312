//go:build unix

package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// agentMain is a generator that does what a file says: that of its task and
// try, else that of its task, in the folder AGENT. A line is one act:
//
//	write PATH TEXT     replace a file of the tree
//	append PATH TEXT    add a line to it
//	delete PATH         remove it
//	report JSON         what it says of itself
//	print TEXT          on stdout
//	complain TEXT       on stderr
//	keep NAME           copy the variable LOOPRUN_NAME's file to AGENT/NAME
//	sh COMMAND          what a shell makes of it
//	stop SIGNAL         send looprun a signal, as INT or TERM
//	mark NAME           make the file AGENT/NAME
//	until NAME          wait for the file AGENT/NAME
//	meet ID             wait until the agent of that task is at the same act
//	sleep DURATION, exit CODE, die SIGNAL, deaf (to SIGTERM)
func agentMain() {
	dir, id, try := os.Getenv("AGENT"), os.Getenv("LOOPRUN_TASK_ID"), os.Getenv("LOOPRUN_TRY")
	note(filepath.Join(filepath.Dir(dir), "starts.log"), id+" round "+os.Getenv("LOOPRUN_ROUND")+" try "+try)
	script, err := os.ReadFile(filepath.Join(dir, id+"-"+try))
	if err != nil {
		script, err = os.ReadFile(filepath.Join(dir, id))
	}
	check(err)
	actAll(dir, string(script))
}

// actsMain is a check that does what the file NAME in the folder AGENT says.
func actsMain() {
	dir := os.Getenv("AGENT")
	script, err := os.ReadFile(filepath.Join(dir, os.Args[1]))
	check(err)
	actAll(dir, string(script))
}

func actAll(dir, script string) {
	for line := range strings.Lines(script) {
		act(dir, strings.TrimSpace(line))
	}
}

func act(dir, line string) {
	verb, rest, _ := strings.Cut(line, " ")
	path, text, _ := strings.Cut(rest, " ")
	switch verb {
	case "", "#":
	case "write":
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, []byte(text+"\n"), 0o644))
	case "append":
		note(path, text)
	case "delete":
		check(os.Remove(path))
	case "report":
		check(os.WriteFile(os.Getenv("LOOPRUN_REPORT"), []byte(rest), 0o600))
	case "print":
		fmt.Println(rest)
	case "complain":
		fmt.Fprintln(os.Stderr, rest)
	case "keep":
		data, err := os.ReadFile(os.Getenv("LOOPRUN_" + rest))
		check(err)
		check(os.WriteFile(filepath.Join(dir, rest), data, 0o600))
	case "sh":
		cmd := exec.Command("sh", "-c", rest)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		check(cmd.Run())
	case "mark":
		check(os.WriteFile(filepath.Join(dir, rest), nil, 0o600))
	case "until":
		for !there(filepath.Join(dir, rest)) {
			time.Sleep(5 * time.Millisecond)
		}
	case "stop":
		check(syscall.Kill(looprun(dir), signals[rest]))
	case "meet": // another agent: each waits until both are here
		check(os.WriteFile(filepath.Join(dir, "here-"+os.Getenv("LOOPRUN_TASK_ID")), nil, 0o600))
		until := time.Now().Add(20 * time.Second)
		for _, err := os.Stat(filepath.Join(dir, "here-"+rest)); err != nil; _, err = os.Stat(filepath.Join(dir, "here-"+rest)) {
			if time.Now().After(until) {
				check(fmt.Errorf("%s did not come", rest))
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "sleep":
		d, err := time.ParseDuration(rest)
		check(err)
		time.Sleep(d)
	case "exit":
		code, err := strconv.Atoi(rest)
		check(err)
		os.Exit(code)
	case "die":
		check(syscall.Kill(os.Getpid(), signals[rest]))
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	default:
		check(fmt.Errorf("unknown act %q", line))
	}
}

var signals = map[string]syscall.Signal{
	"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
	"KILL": syscall.SIGKILL, "SEGV": syscall.SIGSEGV,
}

// looprun is the process that holds the lock.
func looprun(dir string) int {
	var owner struct{ PID int }
	data, err := os.ReadFile(filepath.Join(filepath.Dir(dir), ".loop", "owner.json"))
	check(err)
	check(json.Unmarshal(data, &owner))
	return owner.PID
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

func note(path, line string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	check(err)
	_, err = fmt.Fprintln(f, line)
	check(err)
	check(f.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

// holdsMain is a check: "holds FILE TEXT" passes if the file has the text, and
// else says what it has.
func holdsMain() {
	data, err := os.ReadFile(os.Args[1])
	if err == nil && strings.Contains(string(data), os.Args[2]) {
		return
	}
	fmt.Printf("FAIL: %s does not hold %q but %q\n", os.Args[1], os.Args[2], data)
	os.Exit(1)
}
