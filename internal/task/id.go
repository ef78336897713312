package task

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	idGrammar = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	idEnding  = regexp.MustCompile(`\.(lock|reason|dup-[0-9]+)$`)
	device    = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// reserved are the folders of refs that looprun keeps beside those of the tasks.
var reserved = []string{"keep", "land"}

// CheckID says what is wrong with a task's id; code is "" for a good one. A
// good id is safe as a file's name on every system and as part of a git ref.
func CheckID(id string) (code, msg string) {
	why := ""
	switch {
	case !idGrammar.MatchString(id):
		why = "it must be 1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit"
	case strings.Contains(id, ".."):
		why = "it must not contain \"..\""
	case strings.HasSuffix(id, "."):
		why = "it must not end in a point"
	case device.MatchString(id):
		why = "it is the name of a device on Windows"
	case idEnding.MatchString(id):
		why = "it must not end in .lock, .reason or .dup-N"
	case slices.Contains(reserved, id):
		why = "looprun names refs of its own so"
	default:
		return "", ""
	}
	return CodeBadID, fmt.Sprintf("bad id %q: %s", Clip(id), why)
}
