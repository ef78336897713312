//go:build unix

package acceptance

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A visitor is a browser at the address in the file url.txt, where serve wrote
// it. It follows no redirect.
type visitor struct {
	ts   *testscript.TestScript
	base *url.URL
	http.Client
}

func visit(ts *testscript.TestScript) *visitor {
	base, err := url.Parse(strings.TrimSpace(ts.ReadFile("url.txt")))
	ts.Check(err)
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	v := &visitor{ts: ts, base: base}
	v.Jar = jar
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return v
}

// send sends a request to a path and gives the answer's status, as a word, and
// its body.
func (v *visitor) send(method, path string, form url.Values) (status string, body []byte) {
	target := v.base.Scheme + "://" + v.base.Host + path
	r, err := http.NewRequest(method, target, strings.NewReader(form.Encode()))
	v.ts.Check(err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", v.base.Scheme+"://"+v.base.Host)
	}
	answer, err := v.Do(r)
	v.ts.Check(err)
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	v.ts.Check(err)
	return strings.Fields(answer.Status)[0], body
}

// page STATUS PATH [FILE] asks for a page and keeps it in FILE.
func page(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: page STATUS PATH [FILE]")
	}
	got, body := visit(ts).send(http.MethodGet, args[1], nil)
	if got != args[0] {
		ts.Fatalf("GET %s = %s; want %s\n%s", args[1], got, args[0], body)
	}
	if len(args) > 2 {
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), body, 0o600))
	}
}

var seal = regexp.MustCompile(`name="seal" value="([^"]+)"`)

// press STATUS PATH [NAME=VALUE...] sends a form as its button does.
func press(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: press STATUS PATH [NAME=VALUE...]")
	}
	v, form := visit(ts), url.Values{}
	_, board := v.send(http.MethodGet, "/", nil)
	if m := seal.FindSubmatch(board); m != nil {
		form.Set("seal", string(m[1]))
	}
	for _, arg := range args[2:] {
		name, value, _ := strings.Cut(arg, "=")
		form.Set(name, value)
	}
	got, body := v.send(http.MethodPost, args[1], form)
	if got != args[0] {
		ts.Fatalf("POST %s = %s; want %s\n%s", args[1], got, args[0], body)
	}
}
