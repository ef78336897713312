package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A guard keeps out what did not come from whoever started the server, or from
// a page of it. The addresses of loopback are no proof of that: every page in
// the browser can have requests sent there, and a name can be made to lead there.
type guard struct {
	Options
	secret [32]byte // of this process: what forms carry is made from it

	sessionCookie, tokenCookie string

	mu    sync.Mutex
	notes map[string]note // of a session, until its next page
}

// A note is what an action came to, told on the page after it.
type note struct {
	Text  string
	Bad   bool
	Draft string // what was typed, if it was refused
}

// newGuard names the cookies after the workspace: a browser sends those of one
// port to every other.
func newGuard(o Options) (*guard, error) {
	of := sha256.Sum256([]byte(o.Loop))
	suffix := hex.EncodeToString(of[:4])
	g := &guard{Options: o, notes: map[string]note{}, sessionCookie: "looprun_session_" + suffix, tokenCookie: "looprun_token_" + suffix}
	_, err := rand.Read(g.secret[:])
	return g, err
}

// policy is the whole of what a page may load and do: files of this server, and
// nothing that stands in the page itself.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // with none, browsers hide where a form comes from
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.named(r.Host):
			http.Error(w, "this server is not reached by that name: looprun serve --host NAME allows one", http.StatusMisdirectedRequest)
		case g.Token == "" && stranger(r):
			http.Error(w, "these pages are for the user who started looprun serve: --token-file lets in whoever has a token", http.StatusForbidden)
		case r.Method == http.MethodPost && !sameOrigin(r):
			http.Error(w, "refused: the request does not come from a page of this server", http.StatusForbidden)
		case !public(r) && !g.knows(r):
			g.ask(w, r)
		case r.Method == http.MethodGet && r.URL.Query().Has("token"):
			g.admit(w, r, r.URL.Query().Get("token"), r.URL.Path)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// public reports what is told to anybody: how pages look, and how to get in.
func public(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/enter" || strings.HasPrefix(r.URL.Path, "/static/")
}

// named reports that the server is meant by a host. A name that an attacker
// owns may lead here, an address can't be made to.
func (g *guard) named(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (g.Anywhere || addr.IsLoopback())
}

// sameOrigin reports that a browser says of a request that one of our own pages
// made it. One that says nothing is refused.
func sameOrigin(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || origin.Host == "" {
		return false
	}
	return strings.EqualFold(origin.Host, r.Host) && (site == "" || site == "same-origin")
}

// knows reports a request that shows the token, if there is one to be shown.
func (g *guard) knows(r *http.Request) bool {
	if g.Token == "" {
		return true
	}
	given := r.URL.Query().Get("token")
	if c, err := r.Cookie(g.tokenCookie); err == nil && given == "" {
		given = c.Value
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		given = bearer
	}
	return g.right(given)
}

func (g *guard) right(token string) bool {
	given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(g.Token))
	return subtle.ConstantTimeCompare(given[:], want[:]) == 1
}

// ask is the page for whoever shows no token, or a wrong one.
func (g *guard) ask(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="looprun"`)
	if strings.HasPrefix(r.URL.Path, "/api/") {
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "a token is needed: Authorization: Bearer TOKEN"})
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprint(w, enterPage)
}

const enterPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>looprun</title><link rel="stylesheet" href="/static/app.css"></head>
<body><main class="narrow"><h1>looprun</h1><p>These pages are kept for whoever has the token that <code>looprun serve</code> printed.</p>
<form method="post" action="/enter" class="stack"><label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required><button>Enter</button></form></main></body></html>
`

// enter takes a token from the form of ask.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxHeader)
	token := r.PostFormValue("token")
	if !g.right(token) {
		g.ask(w, r)
		return
	}
	g.admit(w, r, token, "/")
}

// admit keeps the token in a cookie, and out of the address.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, token, to string) {
	if g.Token != "" {
		http.SetCookie(w, cookie(g.tokenCookie, token))
	}
	query := r.URL.Query()
	query.Del("token")
	target := url.URL{Path: "/" + strings.TrimLeft(to, "/"), RawQuery: query.Encode()}
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
}

func cookie(name, value string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// session is the browser that asks, made one if it is new.
func (g *guard) session(w http.ResponseWriter, r *http.Request) string {
	if c, err := r.Cookie(g.sessionCookie); err == nil && len(c.Value) == 32 {
		return c.Value
	}
	id := rand.Text()
	id = (id + rand.Text())[:32]
	http.SetCookie(w, cookie(g.sessionCookie, id))
	return id
}

// seal is what a form of the session carries, and nobody else can make.
func (g *guard) seal(session string) string {
	mac := hmac.New(sha256.New, g.secret[:])
	mac.Write([]byte(session))
	return hex.EncodeToString(mac.Sum(nil))
}

// sealed reports a form that was made for the browser that sends it.
func (g *guard) sealed(r *http.Request) bool {
	c, err := r.Cookie(g.sessionCookie)
	return err == nil && hmac.Equal([]byte(r.PostFormValue("seal")), []byte(g.seal(c.Value)))
}

// maxNotes bounds what is kept for browsers that never come back.
const maxNotes = 256

func (g *guard) leave(session string, n note) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.notes) >= maxNotes {
		clear(g.notes)
	}
	g.notes[session] = n
}

// take is the note for a session, which is told once.
func (g *guard) take(session string) *note {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, ok := g.notes[session]
	if !ok {
		return nil
	}
	delete(g.notes, session)
	return &n
}
