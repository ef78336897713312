package round

import (
	"testing"

	"looprun.dev/looprun/internal/recovery"
)

func TestWhatACategoryIsTheFaultOf(t *testing.T) {
	own := recovery.ClassesOf([]recovery.Pattern{
		{ID: "busy", Category: "x-busy", Class: recovery.Transient},
		{ID: "lease", Category: "x-lease", Class: recovery.Ambient},
		{ID: "style", Category: "x-style", Class: recovery.Form},
	})
	tests := map[recovery.Category]string{
		recovery.Auth: "account", recovery.Overloaded: "model", recovery.QuotaExhausted: "model",
		recovery.ToolUnavailable: "command", recovery.GeneratorBroken: "command",
		recovery.BaselineRed: "profile", recovery.DiskFull: "loop",
		"x-busy": "model", "x-lease": "account", "x-style": "loop",
	}
	for c, want := range tests {
		if got := Scope(c, own); got != want {
			t.Errorf("Scope(%s) = %s; want %s", c, got, want)
		}
	}
}
