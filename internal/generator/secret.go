package generator

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// minSecret is the length below which a value is not taken out of output: it
// stands in too many texts by chance.
const minSecret = 8

// Secrets are the values of those variables whose names match one of globs,
// such as "*TOKEN*", in any case. They must reach no record. The longest come
// first, so that none is left standing in half.
func Secrets(environ []string, globs []string) []string {
	var list []string
	for _, kv := range environ {
		name, v, _ := strings.Cut(kv, "=")
		if len(v) >= minSecret && isSecretName(name, globs) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(list)
}

// isSecretName never takes looprun's own variables for secrets: the
// idempotency key has a name that looks like one.
func isSecretName(name string, globs []string) bool {
	if strings.HasPrefix(name, "LOOPRUN_") {
		return false
	}
	for _, g := range globs {
		if ok, err := path.Match(strings.ToUpper(g), strings.ToUpper(name)); ok && err == nil {
			return true
		}
	}
	return false
}

// redacted is what stands in a record in place of a secret.
const redacted = "[redacted]"

// redact takes the values out of data, also in the form that JSON gives them,
// and reports whether there were any.
func redact(data []byte, values []string) ([]byte, bool) {
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, redacted)
		if quoted, err := json.Marshal(v); err == nil {
			pairs = append(pairs, string(quoted[1:len(quoted)-1]), redacted)
		}
	}
	clean := strings.NewReplacer(pairs...).Replace(string(data))
	return []byte(clean), clean != string(data)
}
