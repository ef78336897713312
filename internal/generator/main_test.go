package generator

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test binary a generator when a test starts it as one.
func TestMain(m *testing.M) {
	if role := os.Getenv("FAKE_ROLE"); role != "" {
		fakes[role]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var fakes = map[string]func(){
	// look tells all that a generator can see.
	"look": func() {
		prompt, _ := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		request, _ := os.ReadFile(os.Getenv("LOOPRUN_REQUEST"))
		onDisk, _ := os.ReadFile(os.Getenv("LOOPRUN_PROMPT_FILE"))
		json.NewEncoder(os.Stdout).Encode(seen{os.Environ(), os.Args, string(prompt), string(onDisk), string(request), dir})
	},
	// say writes a report and texts, then exits as it is told.
	"say": func() {
		fmt.Print(os.Getenv("FAKE_STDOUT"))
		fmt.Fprint(os.Stderr, os.Getenv("FAKE_STDERR"))
		if r, ok := os.LookupEnv("FAKE_REPORT"); ok {
			os.WriteFile(os.Getenv("LOOPRUN_REPORT"), []byte(r), 0o600)
		}
		code, _ := strconv.Atoi(os.Getenv("FAKE_EXIT"))
		os.Exit(code)
	},
	// leak prints what it must not know by heart.
	"leak": func() {
		token := os.Getenv("MY_API_TOKEN")
		fmt.Println("out", token)
		fmt.Fprintln(os.Stderr, "error: bad key", token)
		report, _ := json.Marshal(map[string]any{
			"status": "failed", "summary": "key " + token, "error": map[string]any{"message": "no entry with " + token},
		})
		os.WriteFile(os.Getenv("LOOPRUN_REPORT"), report, 0o600)
		os.Exit(1)
	},
	"link":   func() { os.Symlink("/etc/hostname", os.Getenv("LOOPRUN_REPORT")) },
	"folder": func() { os.Mkdir(os.Getenv("LOOPRUN_REPORT"), 0o700) },
	"huge": func() {
		os.WriteFile(os.Getenv("LOOPRUN_REPORT"), []byte(`{"status":"no_change","summary":"`+strings.Repeat("x", MaxReport)+`"}`), 0o600)
	},
	"gone": func() { os.RemoveAll(os.Getenv("FAKE_FOLDER")) },
	"hang": func() { time.Sleep(time.Minute) },
	"printHang": func() {
		fmt.Print(os.Getenv("FAKE_STDOUT"))
		time.Sleep(time.Minute)
	},
	"replay": replay,
	"child": func() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FAKE_ROLE=hang")
		cmd.Start()
	},
}

// seen is what the look fake tells.
type seen struct {
	Env, Args                       []string
	Prompt, OnDisk, Request, Folder string
}
