package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"looprun.dev/looprun/internal/screen"
)

//go:embed pages static
var assets embed.FS

// pages are the templates, each with the frame around it.
type pages struct {
	byName map[string]*template.Template
	digest map[string]string // of a static file, part of its address
}

// parsePages reads what was embedded.
func parsePages() (*pages, error) {
	p := &pages{byName: map[string]*template.Template{}, digest: map[string]string{}}
	static, err := fs.ReadDir(assets, "static")
	if err != nil {
		return nil, fmt.Errorf("read assets: %w", err)
	}
	for _, f := range static {
		data, err := assets.ReadFile("static/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read assets: %w", err)
		}
		sum := sha256.Sum256(data)
		p.digest[f.Name()] = hex.EncodeToString(sum[:6])
	}
	shared, err := template.New("").Funcs(words).Funcs(template.FuncMap{"asset": p.address}).ParseFS(assets, "pages/shared/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse pages: %w", err)
	}
	names, err := fs.Glob(assets, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse pages: %w", err)
	}
	for _, name := range names {
		t, err := template.Must(shared.Clone()).ParseFS(assets, name)
		if err != nil {
			return nil, fmt.Errorf("parse pages: %w", err)
		}
		p.byName[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return p, nil
}

func (p *pages) address(name string) string { return "/static/" + name + "?v=" + p.digest[name] }

// A view is what a page is made of: what the frame needs, and the page's own.
type view struct {
	Title string
	Here  string // the part of the menu that the page belongs to
	Live  string // what the page is about: a task's id, or * for all; "" does not change
	Body  any

	Version int // of what the page shows, taken before any of it was read

	// What show adds.
	Name  string
	Now   time.Time
	Write bool
	Seal  string
	Note  *note
	Desk  standing
}

// show writes a page. It is rendered whole before the first byte goes out, and
// what steers a terminal or turns the direction of text is in none.
func (s *Server) show(w http.ResponseWriter, r *http.Request, code int, name string, v view) error {
	session := s.guard.session(w, r)
	v.Name, v.Now, v.Write, v.Seal = s.Name, s.Now(), s.Write, s.guard.seal(session)
	if r.Header.Get("X-Live") == "" {
		v.Note = s.guard.take(session)
	}
	v.Desk = s.standing()
	var b bytes.Buffer
	if err := s.pages.byName[name].ExecuteTemplate(&b, "page", v); err != nil {
		http.Error(w, "this page could not be made", http.StatusInternalServerError)
		return nil
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(screen.Printable(b.String()))) // whoever asked may be gone
	return nil
}

// static sends a file that pages name by its digest, so that it can be kept.
func (s *Server) static(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if _, ok := s.pages.digest[name]; !ok {
		return &fault{http.StatusNotFound, "there is no such file"}
	}
	if r.URL.Query().Get("v") == s.pages.digest[name] {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeFileFS(w, r, assets, "static/"+name)
	return nil
}

// writeJSON prints v as the commands do.
func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}
