package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/web"
)

// A browser keeps cookies and sends what browsers send.
type browser struct {
	h       http.Handler
	host    string
	cookies map[string]*http.Cookie
}

func newBrowser(h http.Handler) *browser {
	return &browser{h: h, host: "127.0.0.1:7717", cookies: map[string]*http.Cookie{}}
}

func (b *browser) send(r *http.Request) *httptest.ResponseRecorder {
	r.Host = b.host
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		b.cookies[c.Name] = c
	}
	return w
}

func (b *browser) get(path string) *httptest.ResponseRecorder {
	return b.send(httptest.NewRequest(http.MethodGet, path, nil))
}

func (b *browser) post(path string, form url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+b.host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if change != nil {
		change(r)
	}
	return b.send(r)
}

var sealed = regexp.MustCompile(`name="seal" value="([0-9a-f]{64})"`)

// seal is what the forms of a page carry.
func (b *browser) seal(t *testing.T, path string) string {
	t.Helper()
	m := sealed.FindStringSubmatch(b.get(path).Body.String())
	if m == nil {
		t.Fatalf("GET %s has no form", path)
	}
	return m[1]
}

func TestWhoIsLetIn(t *testing.T) {
	const token = "a token that is long enough"
	tests := map[string]struct {
		change func(*web.Options)
		host   string
		path   string
		bearer string
		want   int
	}{
		"by the address of loopback":            {nil, "127.0.0.1:7717", "/", "", 200},
		"by the other address of loopback":      {nil, "[::1]:7717", "/", "", 200},
		"by the name of loopback":               {nil, "localhost:7717", "/", "", 200},
		"not by a name that was made to lead":   {nil, "evil.example:7717", "/", "", 421},
		"not by a name that looks like it":      {nil, "127.0.0.1.evil.example", "/api/v1/state", "", 421},
		"not by a name that begins like it":     {nil, "localhost.evil.example", "/static/app.js", "", 421},
		"not by another address":                {nil, "10.0.0.1:7717", "/", "", 421},
		"not without any name":                  {nil, "", "/", "", 421},
		"by a name that was given":              {func(o *web.Options) { o.Hosts = []string{"Desk.example"} }, "desk.example", "/", "", 200},
		"anywhere by an address with the token": {open(token), "10.0.0.1:7717", "/", token, 200},
		"anywhere not without the token":        {open(token), "10.0.0.1:7717", "/", "", 401},
		"anywhere not with another":             {open(token), "10.0.0.1:7717", "/", token + "x", 401},
		"anywhere not by a name":                {open(token), "evil.example", "/", token, 421},
		"not to the API without the token":      {open(token), "10.0.0.1:7717", "/api/v1/state", "", 401},
		"not to the stream without the token":   {open(token), "10.0.0.1:7717", "/events", "", 401},
		"to how pages look without the token":   {open(token), "10.0.0.1:7717", "/static/app.css", "", 200},
		"on loopback not without a token of it": {func(o *web.Options) { o.Token = token }, "127.0.0.1:7717", "/", "", 401},
		"by a token in the address, once":       {open(token), "10.0.0.1:7717", "/tasks?q=a&token=" + url.QueryEscape(token), "", 303},
		"not by a wrong one in the address":     {open(token), "10.0.0.1:7717", "/?token=x", "", 401},
		"not by the page for the token":         {open(token), "10.0.0.1:7717", "/enter", "", 401},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			o := p.options()
			if tc.change != nil {
				tc.change(&o)
			}
			b := newBrowser(p.server(t, o).Handler())
			b.host = tc.host
			r := httptest.NewRequest(http.MethodGet, tc.path, nil)
			if tc.bearer != "" {
				r.Header.Set("Authorization", "Bearer "+tc.bearer)
			}
			if got := b.send(r); got.Code != tc.want {
				t.Errorf("GET %s of %q = %d; want %d", tc.path, tc.host, got.Code, tc.want)
			}
		})
	}
}

func open(token string) func(*web.Options) {
	return func(o *web.Options) { o.Anywhere, o.Token = true, token }
}

func TestATokenIsKeptInACookieAndOutOfTheAddress(t *testing.T) {
	p := newPlace(t)
	o := p.options()
	o.Token = "a token that is long enough"
	for name, enter := range map[string]func(b *browser) *httptest.ResponseRecorder{
		"from the address": func(b *browser) *httptest.ResponseRecorder {
			return b.get("/tasks?q=a&token=" + url.QueryEscape(o.Token))
		},
		"from the form": func(b *browser) *httptest.ResponseRecorder {
			return b.post("/enter", url.Values{"token": {o.Token}}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(p.server(t, o).Handler())
			w := enter(b)
			if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || strings.Contains(to, "token") || strings.HasPrefix(to, "//") {
				t.Fatalf("it leads to %q with %d", to, w.Code)
			}
			if got := b.get("/").Code; got != http.StatusOK {
				t.Errorf("GET / with the cookie = %d; want 200", got)
			}
		})
	}
}

func TestWhichFormsAreTaken(t *testing.T) {
	tests := map[string]struct {
		readOnly bool
		seal     string // "": the right one
		change   func(*http.Request)
		want     int
		acts     bool
	}{
		"one of our own page":                {want: 303, acts: true},
		"none where nothing may be done":     {readOnly: true, seal: "none", want: 403},
		"none without its seal":              {seal: "none", want: 403},
		"none with another browser's seal":   {seal: strings.Repeat("0", 64), want: 403},
		"none from another page":             {change: func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, want: 403},
		"none from another port":             {change: func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, want: 403},
		"none from a page without a name":    {change: func(r *http.Request) { r.Header.Set("Origin", "null") }, want: 403},
		"none that says not from where":      {change: func(r *http.Request) { r.Header.Del("Origin") }, want: 403},
		"none that a browser calls foreign":  {change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, want: 403},
		"none that another port's page sent": {change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, want: 403},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			o := p.options()
			o.Write = !tc.readOnly
			b := newBrowser(p.server(t, o).Handler())
			seal := tc.seal
			if seal == "" {
				seal = b.seal(t, "/")
			}
			w := b.post("/pause", url.Values{"seal": {seal}, "until": {"2h"}, "reason": {"lunch"}}, tc.change)
			if w.Code != tc.want || (len(p.did) > 0) != tc.acts {
				t.Errorf("POST /pause = %d, did %q; want %d", w.Code, p.did, tc.want)
			}
		})
	}
}

func TestAFormOfAnotherBrowserIsRefused(t *testing.T) {
	p := newPlace(t)
	h := p.server(t, p.options()).Handler()
	mine, theirs := newBrowser(h), newBrowser(h)
	mine.get("/")
	form := url.Values{"seal": {theirs.seal(t, "/")}}
	for name, b := range map[string]*browser{"another": mine, "a new one": newBrowser(h)} {
		if got := b.post("/resume", form, nil).Code; got != http.StatusForbidden || len(p.did) > 0 {
			t.Errorf("POST /resume by %s = %d, did %q; want 403", name, got, p.did)
		}
	}
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	p := full(t)
	h := p.server(t, p.options()).Handler()
	for _, path := range append([]string{"/nothing", "/api/v1/state", "/static/app.js"}, everything...) {
		header := get(t, h, path).Header()
		policy := header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("GET %s: the policy %q lacks %q", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s is sent with %v", path, header)
		}
	}
}
