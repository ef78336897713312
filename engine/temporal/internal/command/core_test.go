package command

import (
	"os/exec"
	"strings"
	"testing"
)

// The core stays small: nothing of Temporal is in its binary.
func TestCoreKnowsNothingOfTemporal(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "looprun.dev/looprun/cmd/looprun").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("go list names %d packages; want those of the whole program", len(deps))
	}
	for _, dep := range deps {
		for _, foreign := range []string{"go.temporal.io", "google.golang.org/grpc", "looprun.dev/looprun/engine"} {
			if strings.HasPrefix(dep, foreign) {
				t.Errorf("looprun depends on %s", dep)
			}
		}
	}
}
