package child

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// redacted passes text through a redactor in pieces of the given lengths, the
// rest at once.
func redacted(text string, values []string, cuts ...int) string {
	var out bytes.Buffer
	r := newRedactor(redactionOf(values), func(p []byte) { out.Write(p) })
	in := []byte(text)
	for _, n := range cuts {
		n = min(n, len(in))
		r.write(in[:n])
		in = in[n:]
	}
	r.write(in)
	r.flush()
	return out.String()
}

// bytewise passes text through byte by byte.
func bytewise(text string, values []string) string {
	cuts := make([]int, len(text))
	for i := range cuts {
		cuts[i] = 1
	}
	return redacted(text, values, cuts...)
}

const (
	pem = "-----BEGIN RSA PRIVATE KEY-----\n" +
		"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n" +
		"MIIEpAIBAAKCAQEAxqZ7Qk1mSnt1mTQ9yXkX0nq3fVhJ0Jr9t2bH1k5v8wQxLzYc\n" +
		"aGVsbG8gd29ybGQgdGhpcyBpcyBub3QgYSBrZXkgYXQgYWxsIGJ1dCBpdCBsb29r\n" +
		"cyBsaWtlIG9uZQ==\n" +
		"-----END RSA PRIVATE KEY-----"
	hex40 = "0123456789abcdef0123456789abcdef01234567"
)

func TestRedactor(t *testing.T) {
	values := []string{"correct horse", "horse battery", "batt\"ery\nstaple", "correct horse battery staple", "short"}
	for name, tt := range map[string]struct{ in, want string }{
		"plain text is left":                      {"all tests passed\n", "all tests passed\n"},
		"a value goes":                            {"is correct horse ok", "is [redacted] ok"},
		"the longer of two values goes":           {"a correct horse battery staple!", "a [redacted]!"},
		"values that overlap go as a whole":       {"a correct horse battery!", "a [redacted]!"},
		"two neighbours are told apart":           {"correct horsecorrect horse", "[redacted][redacted]"},
		"the beginning of a value is none":        {"a correct hors", "a correct hors"},
		"a value in JSON goes":                    {`{"a":"batt\"ery\nstaple"}`, `{"a":"[redacted]"}`},
		"a value as it is goes":                   {"batt\"ery\nstaple", "[redacted]"},
		"a short value is left":                   {"short", "short"},
		"any byte passes":                         {"\x00\xff\r\x1b[31m\xc3", "\x00\xff\r\x1b[31m\xc3"},
		"a key of AWS goes":                       {"id=AKIAIOSFODNN7ABCDEFG.", "id=[redacted]."},
		"what is too short for one stays":         {"AKIAIOSFODNN7ABCDEF ", "AKIAIOSFODNN7ABCDEF "},
		"a token of GitHub goes":                  {"https://ghp_" + hex40 + "@github.com", "https://[redacted]@github.com"},
		"a fine-grained token goes":               {"github_pat_11AAAAAAA0" + hex40 + "_x", "[redacted]"},
		"a key of Anthropic goes":                 {`"sk-ant-api03-` + hex40 + `-AA"`, `"[redacted]"`},
		"an old key of OpenAI goes":               {"sk-" + hex40, "[redacted]"},
		"a key after an escape of JSON goes":      {`"\nsk-` + hex40 + `"`, `"\n[redacted]"`},
		"a name that ends in sk is none":          {"task-" + hex40, "task-" + hex40},
		"a bot of Slack goes":                     {"xoxb-123456789012-abcdefghij", "[redacted]"},
		"a private key goes":                      {"a\n" + pem + "\nb", "a\n[redacted]\nb"},
		"a private key in JSON goes":              {`"` + strings.ReplaceAll(pem, "\n", `\n`) + `",1`, `"[redacted]",1`},
		"a private key in one line goes":          {strings.ReplaceAll(pem, "\n", " ") + " x", "[redacted] x"},
		"a private key without end goes":          {pem[:150] + "|", "[redacted]|"},
		"two private keys go":                     {pem + "\n" + pem, "[redacted]\n[redacted]"},
		"a key block goes":                        {"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n-----END PGP PRIVATE KEY BLOCK-----", "[redacted]"},
		"a certificate is public":                 {strings.ReplaceAll(pem, "RSA PRIVATE KEY", "CERTIFICATE"), strings.ReplaceAll(pem, "RSA PRIVATE KEY", "CERTIFICATE")},
		"the header of a key in a program stays":  {`"-----BEGIN RSA PRIVATE KEY-----" + body`, `"-----BEGIN RSA PRIVATE KEY-----" + body`},
		"a private key that is also a value goes": {"x" + pem + "y", "x[redacted]y"},
	} {
		t.Run(name, func(t *testing.T) {
			values := values
			if strings.Contains(name, "also a value") {
				values = []string{pem}
			}
			if d := cmp.Diff(tt.want, redacted(tt.in, values)); d != "" {
				t.Errorf("at once (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.want, bytewise(tt.in, values)); d != "" {
				t.Errorf("byte by byte (-want +got):\n%s", d)
			}
			for cut := range len(tt.in) {
				if got := redacted(tt.in, values, cut); got != tt.want {
					t.Fatalf("cut at %d = %q; want %q", cut, got, tt.want)
				}
			}
		})
	}
}

// A redactor must not keep a line back that holds nothing secret.
func TestRedactorHoldsLittle(t *testing.T) {
	var out bytes.Buffer
	r := newRedactor(redactionOf([]string{"correct horse"}), func(p []byte) { out.Write(p) })
	r.write([]byte("working on it ...\n"))
	if out.Len() != 18 {
		t.Errorf("emitted %q of a whole line", out.String())
	}
	r.write([]byte("sk-ant-" + strings.Repeat("y", 1<<20)))
	if len(r.held) != 0 {
		t.Errorf("held %d bytes of a token that is sure; want 0", len(r.held))
	}
}

// Prefixes without end, values that overlap themselves: the time must stay in
// proportion to the length.
func TestRedactorIsLinear(t *testing.T) {
	values := []string{strings.Repeat("ab", 32) + "c"}
	for name, unit := range map[string]string{
		"prefixes of tokens":  "sk-ant-",
		"a value that nearly": "ab",
		"headers of keys":     "-----BEGIN PRIVATE KEY-----",
		"dashes":              "-",
	} {
		t.Run(name, func(t *testing.T) {
			small, large := fastest(t, values, unit, 1<<14), fastest(t, values, unit, 1<<19)
			if large > 200*small { // 32 times the text; with its square it would be 1024 times
				t.Errorf("32 times the text took %v; one part took %v", large, small)
			}
		})
	}
}

// fastest is the shortest of some times for size bytes of units.
func fastest(t *testing.T, values []string, unit string, size int) time.Duration {
	text := []byte(strings.Repeat(unit, size/len(unit)))
	best := time.Hour
	for range 3 {
		r := newRedactor(redactionOf(values), func([]byte) {})
		start := time.Now()
		for piece := range slices.Chunk(text, 4096) {
			r.write(piece)
			if len(r.held) > 2048 {
				t.Fatalf("%d bytes held", len(r.held))
			}
		}
		r.flush()
		best = min(best, time.Since(start))
	}
	return best
}

// pieces that make and nearly make secrets.
var pieces = []string{
	"sk-", "sk-ant-", "task-", "ghp_", "AKIA", "xoxb-", hex40, hex40[:17], "A", "x", "_", "-", "\\n", "\n", " ", "\"", "\xff",
	"-----BEGIN ", "RSA ", "PRIVATE KEY", "-----", "-----END ", "-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----",
	pem[:90], pem[130:200], "correct horse", "correct ", "horse", " battery", "abababab", "ab", "abc", "PRIVATE KEY-----abc",
	strings.Repeat(" ", 600),
}

// Whatever secrets a text is made of, and wherever it is cut, the same is left
// of it, and no value.
func TestRedactorOnAnyText(t *testing.T) {
	values := []string{"correct horse", "horse battery", "ababababc", "abababab", "PRIVATE KEY-----abc", hex40[30:] + "correct", pem}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "pieces"), "")
		cuts := rapid.SliceOfN(rapid.IntRange(1, 60), 0, 8).Draw(t, "cuts")
		checkRedactor(t, text, values, cuts)
	})
}

func FuzzRedactor(f *testing.F) {
	f.Add("is correct horse battery ok", "correct horse", "horse battery", 5, 9)
	f.Add(pem+"\n"+pem, "MIIEpAIBAAKC", "PRIVATE KEY", 40, 7)
	f.Add("sk-ant-"+hex40+"correct horse", "67correct", "correct horse", 8, 50)
	f.Add("-----BEGIN PRIVATE KEY-----\n"+hex40+"\\n-----END ", "-----BEGIN PRIVATE KEY-----\n0", "END PRIVATE", 28, 3)
	f.Add("ghp_ghp_"+hex40+"AKIA"+hex40, "ghp_ghp_", "_0123456789abc", 3, 1)
	f.Fuzz(func(t *testing.T, text, a, b string, cut1, cut2 int) {
		checkRedactor(t, text, []string{a, b}, []int{max(cut1, 0), max(cut2, 0)})
	})
}

func checkRedactor(t interface{ Errorf(string, ...any) }, text string, values []string, cuts []int) {
	whole := redacted(text, values)
	if got := redacted(text, values, cuts...); got != whole {
		t.Errorf("cut %v of %q = %q; want %q", cuts, text, got, whole)
	}
	if got := bytewise(text, values); got != whole {
		t.Errorf("byte by byte of %q = %q; want %q", text, got, whole)
	}
	for part := range strings.SplitSeq(whole, string(label)) {
		for _, v := range values {
			if len(v) >= minSecret && strings.Contains(part, v) {
				t.Errorf("%q of %q still holds %q", whole, text, v)
			}
		}
	}
	if !strings.Contains(whole, string(label)) && whole != text {
		t.Errorf("redacted = %q; want %q as it was", whole, text)
	}
}

func TestInJSONIsWhatJSONHolds(t *testing.T) {
	for _, v := range []string{"plain", "a\"b\\c\n\t", "<&>", "ünï", "\u2028"} {
		var back string
		if err := json.Unmarshal([]byte(`"`+inJSON(v)+`"`), &back); err != nil || back != v {
			t.Errorf("inJSON(%q) = %q, read as %q, %v", v, inJSON(v), back, err)
		}
	}
}
