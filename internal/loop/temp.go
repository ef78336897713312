package loop

import (
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/fsx"
)

// tempName begins the name of a folder for temporary files in the system's
// place for them. It says whose the folder is, so that the next instance on
// this .loop can take away what a killed one left, and nothing else.
func (l *Loop) tempName(what string) string { return "looprun-" + what + "-" + l.key() + "-" }

// sweepTemp takes away the temporary folders of a dead instance, whose
// processes have been ended. What cannot be removed is left to the system,
// which owns that place, and so is what only has the name.
func (l *Loop) sweepTemp() {
	for _, what := range []string{"check", "try", "probe"} {
		left, err := filepath.Glob(filepath.Join(os.TempDir(), l.tempName(what)+"*"))
		if err != nil {
			continue // the place has a name that is a bad pattern
		}
		for _, path := range left {
			if info, err := os.Lstat(path); err == nil && info.IsDir() && fsx.Mine(info) {
				_ = fsx.Scratch(path).RemoveAll("")
			}
		}
	}
}
