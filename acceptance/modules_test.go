package acceptance

import (
	"os/exec"
	"strings"
	"testing"
)

// What serves other protocols and engines comes apart, and what makes man pages
// is no part of the program: looprun itself stays small.
func TestTheProgramHoldsNothingThatComesApart(t *testing.T) {
	const format = `{{with .Module}}{{.Path}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, "../cmd/looprun").Output()
	modules := strings.Fields(string(out))
	if err != nil || len(modules) == 0 {
		t.Fatalf("go list: %v, %d packages", err, len(modules))
	}
	for _, module := range modules {
		for _, apart := range []string{"go.temporal.io/", "github.com/modelcontextprotocol/", "github.com/cpuguy83/go-md2man"} {
			if strings.HasPrefix(module, apart) {
				t.Errorf("looprun is built with %s", module)
			}
		}
	}
}
