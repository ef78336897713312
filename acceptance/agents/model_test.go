package agents

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A model is the scripted stand-in for a model's service.
type model struct{ base string }

// startModel starts one for the time of the test.
func startModel(t *testing.T) model {
	t.Helper()
	cmd := exec.Command("node", "fakemodel.mjs", "--port", "0")
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the model: %v", err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("start the model: %v", err)
	}
	return model{base: strings.TrimSpace(line)}
}

// play gives the model a new script.
func (m model) play(t *testing.T, steps ...any) {
	t.Helper()
	script, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(m.base+"/__script", "application/json", strings.NewReader(string(script)))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// requests counts the requests for an answer since the script was given.
func (m model) requests(t *testing.T) int {
	t.Helper()
	res, err := http.Get(m.base + "/__log")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Wire string }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range all {
		if r.Wire != "" {
			n++
		}
	}
	return n
}
