//go:build unix

package acceptance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
)

var (
	prev   = regexp.MustCompile(`"prev":"[0-9a-f]*"`)
	reason = regexp.MustCompile(`("kind":"decide".*?"reason":)"[a-z_]+"`)
)

// rechainMain is a forger: "rechain FILE REASON" puts another reason into the
// first decision of a journal and makes all hashes right again.
func rechainMain() {
	data, err := os.ReadFile(os.Args[1])
	check(err)
	var out []byte
	head, done := "", false
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if !done && reason.Match(line) {
			line, done = reason.ReplaceAll(line, []byte(`$1"`+os.Args[2]+`"`)), true
		}
		if head != "" {
			line = prev.ReplaceAll(line, []byte(`"prev":"`+head+`"`))
		}
		sum := sha256.Sum256(line)
		head = hex.EncodeToString(sum[:])
		out = append(append(out, line...), '\n')
	}
	check(os.WriteFile(os.Args[1], out, 0o600))
}
