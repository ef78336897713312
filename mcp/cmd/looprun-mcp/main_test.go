//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary is looprun-mcp where it is told to be.
const being = "LOOPRUN_MCP_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(being) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A process serves on standard input and output, writes nothing else there, and
// ends with 0 when its input does.
func TestAProcessServesUntilItsInputEnds(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "loop.yaml"), []byte("version: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-C", dir)
	cmd.Env = append(os.Environ(), being+"=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list", Arguments: map[string]any{}})
	if err != nil || r.IsError {
		t.Errorf("list = %+v, %v; want no tasks", r, err)
	}
	if err := c.Close(); err != nil || cmd.ProcessState.ExitCode() != 0 || said.Len() > 0 {
		t.Errorf("it ended %v, %v, and said %q; want 0 and nothing", cmd.ProcessState, err, said.String())
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"help":            {[]string{"--help"}, 0, "usage: looprun-mcp", ""},
		"version":         {[]string{"--version"}, 0, "looprun-mcp ", ""},
		"an unknown flag": {[]string{"--serve"}, 64, "", "wrong usage"},
		"an argument":     {[]string{"t1"}, 64, "", "wrong usage"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(test.args, &stdout, &stderr); got != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("run = %d, %q, %q; want %d, %q, %q", got, stdout.String(), stderr.String(), test.code, test.stdout, test.stderr)
			}
		})
	}
}
