package generator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecrets(t *testing.T) {
	globs := []string{"*TOKEN*", "*KEY*"}
	tests := map[string]struct {
		environ, globs, want []string
	}{
		"by name":                       {[]string{"A_TOKEN=12345678", "HOME=/home/someone"}, globs, []string{"12345678"}},
		"in any case":                   {[]string{"npm_config_token=12345678"}, globs, []string{"12345678"}},
		"a value too short":             {[]string{"A_KEY=1234567"}, globs, nil},
		"the longest first, once":       {[]string{"A_KEY=12345678", "B_KEY=1234567890", "C_KEY=12345678"}, globs, []string{"1234567890", "12345678"}},
		"looprun's own names are none":  {[]string{"LOOPRUN_IDEMPOTENCY_KEY=12345678"}, globs, nil},
		"a glob that cannot be read":    {[]string{"A_KEY=12345678"}, []string{"["}, nil},
		"a value with an equals sign":   {[]string{"A_KEY=a=b=c=d=e"}, globs, []string{"a=b=c=d=e"}},
		"a variable without any value ": {[]string{"A_KEY"}, globs, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Secrets(tt.environ, tt.globs)); diff != "" {
				t.Errorf("Secrets differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	values := []string{`say "secret" & <more>`, "correct-horse", "correct"}
	given := `{"a":"correct-horse","b":"say \"secret\" \u0026 \u003cmore\u003e","c":"correct"}`
	want := `{"a":"[redacted]","b":"[redacted]","c":"[redacted]"}`
	if got, found := redact([]byte(given), values); string(got) != want || !found {
		t.Errorf("redact = %s, %v; want %s", got, found, want)
	}
	if got, found := redact([]byte("plain"), values); string(got) != "plain" || found {
		t.Errorf("redact = %s, %v; want it as it was", got, found)
	}
}
