package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// join keeps the credentials of this test from being found in this file.
func join(parts ...string) string { return strings.Join(parts, "") }

func patchOf(path string, lines ...string) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n+%[3]s\n", path, len(lines), strings.Join(lines, "\n+"))
}

func TestSecrets(t *testing.T) {
	aws := join("AK", "IA", "Z2Q4W6E8R1T3Y5U7")
	body := strings.Repeat("q7Bf", 16)
	tests := map[string]struct {
		patch  string
		values []string
		want   []string
	}{
		"plain code":                       {patch: patchOf("a.go", "x := 1", "token := os.Getenv(\"TOKEN\")")},
		"an access key":                    {patch: patchOf("cfg.ini", "key = "+aws), want: []string{"secret cfg.ini"}},
		"a key out of a manual":            {patch: patchOf("cfg.ini", join("AK", "IAIOSFODNN7", "EXAMPLE"))},
		"a GitHub token in a URL":          {patch: patchOf("a.sh", "git clone https://x:"+join("gh", "p_", strings.Repeat("a1B2", 9))+"@host/r"), want: []string{"secret a.sh"}},
		"a private key":                    {patch: patchOf("id", join("-----BEGIN ", "PRIVATE KEY-----"), body), want: []string{"secret id"}},
		"a private key with headers":       {patch: patchOf("id", join("-----BEGIN RSA ", "PRIVATE KEY-----"), "Proc-Type: 4,ENCRYPTED", "", body), want: []string{"secret id"}},
		"a private key in one string":      {patch: patchOf("a.json", `"key": "`+join("-----BEGIN ", "PRIVATE KEY-----")+`\n`+body+`"`), want: []string{"secret a.json"}},
		"the header of a key alone":        {patch: patchOf("a.go", join(`const h = "-----BEGIN `, `PRIVATE KEY-----"`), "x")},
		"a value of the environment":       {patch: patchOf("a.txt", "the word is correct-horse-battery"), values: []string{"correct-horse-battery"}, want: []string{"secret a.txt"}},
		"a short value is not looked for":  {patch: patchOf("a.txt", "abc"), values: []string{"abc"}},
		"a secret that is removed":         {patch: "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-" + aws + "\n ok\n"},
		"a secret that stood there before": {patch: "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n " + aws + "\n+ok\n"},
		"an added line that looks like a header does not move the path": {
			patch: "--- a/real\n+++ b/real\n@@ -0,0 +1,2 @@\n+++ b/other\n+" + aws + "\n", want: []string{"secret real"},
		},
		"a quoted path":               {patch: "--- /dev/null\n+++ \"b/Garc\\303\\255a\"\n@@ -0,0 +1 @@\n+" + aws + "\n", want: []string{"secret García"}},
		"two finds in a file are one": {patch: patchOf("a", aws, aws), want: []string{"secret a"}},
		"a patch that is cut short":   {patch: "+++ b/x\n@@ -0,0 +1,9 @@\n+" + aws, want: []string{"secret x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := codes(Secrets([]byte(tt.patch), tt.values))
			if diff := cmp.Diff(append([]string{}, tt.want...), got); diff != "" {
				t.Errorf("Secrets differs (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add([]byte(patchOf("a", "b", "c")))
	f.Add([]byte("@@ -1,9999999999999999999 +1 @@\n+x\n+++ \"b/\\\n@@ @@"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		added := 0
		eachAdded(patch, func(string, []byte) { added++ })
		if lines := strings.Count(string(patch), "\n") + 1; added > lines {
			t.Errorf("%d added lines in a patch of %d", added, lines)
		}
		Secrets(patch, []string{"correct-horse"})
	})
}
