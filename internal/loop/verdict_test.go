package loop

import (
	"testing"

	"looprun.dev/looprun/internal/recovery"
	"looprun.dev/looprun/internal/round"
)

func TestVerdictOn(t *testing.T) {
	type says struct{ disk, command, account, model verdict }
	all := says{worked, worked, worked, worked}
	none := says{saysNothing, saysNothing, saysNothing, saysNothing}
	tests := map[recovery.Category]says{
		recovery.None:             all,
		recovery.RateLimited:      {worked, worked, worked, blamed},
		recovery.Overloaded:       {worked, worked, worked, blamed},
		recovery.Network:          {worked, worked, saysNothing, blamed},
		recovery.QuotaExhausted:   {worked, worked, worked, tripped},
		recovery.ModelNotFound:    {worked, worked, worked, tripped},
		recovery.Auth:             {worked, worked, tripped, saysNothing},
		recovery.ToolUnavailable:  {saysNothing, tripped, saysNothing, saysNothing},
		recovery.Crashed:          {saysNothing, blamed, saysNothing, saysNothing},
		recovery.Stalled:          {saysNothing, blamed, saysNothing, saysNothing},
		recovery.Timeout:          {worked, worked, saysNothing, saysNothing},
		recovery.DiskFull:         {tripped, saysNothing, saysNothing, saysNothing},
		recovery.Interrupted:      none,
		recovery.Unknown:          none,
		recovery.ContextWindow:    all,
		recovery.JSONError:        all,
		recovery.NeedsInfo:        all,
		recovery.PermissionDenied: all,
		recovery.SessionLost:      all,
		recovery.InvalidRequest:   all,
		"x-gateway":               {saysNothing, saysNothing, saysNothing, blamed},
		"x-license":               {saysNothing, saysNothing, tripped, saysNothing},
	}
	classes := recovery.Classes{"x-gateway": recovery.Transient, "x-license": recovery.Ambient}
	for c, want := range tests {
		t.Run(string(c), func(t *testing.T) {
			got := says{
				verdictOn(loopScope, c, classes), verdictOn(commandScope, c, classes),
				verdictOn(accountScope, c, classes), verdictOn(modelScope, c, classes),
			}
			if got != want {
				t.Errorf("verdicts = %+v; want %+v", got, want)
			}
		})
	}
}

// A failure of no account, model or command is looked at where its checks run.
func TestEveryCategoryHasATarget(t *testing.T) {
	known := []string{accountScope, modelScope, commandScope, profileScope, loopScope}
	for _, c := range recovery.Categories() {
		found := false
		for _, scope := range known {
			found = found || round.Scope(c, nil) == scope
		}
		if !found {
			t.Errorf("scope of %s = %q; want one of %v", c, round.Scope(c, nil), known)
		}
	}
}
