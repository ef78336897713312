package child

import "bytes"

const runIDKey = "LOOPRUN_RUN_ID="

// runIDIn finds the run id in an environment as the system shows it: entries
// that end in NUL. It may also hold the arguments.
func runIDIn(env []byte) string {
	for len(env) > 0 {
		entry, rest, _ := bytes.Cut(env, []byte{0})
		if id, ok := bytes.CutPrefix(entry, []byte(runIDKey)); ok {
			return string(id)
		}
		env = rest
	}
	return ""
}
