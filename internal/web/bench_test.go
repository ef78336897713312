package web_test

import (
	"net/http"
	"testing"
)

// Pages among 10,000 finished tasks: as they are asked for again and again, and
// the first time, when the stages are listed.
func BenchmarkPagesAmongTenThousand(b *testing.B) {
	p := many(b, 10_000)
	for name, path := range map[string]string{
		"board": "/", "list": "/tasks?stage=done&page=100", "search": "/tasks?q=t0777", "task": "/tasks/real",
	} {
		h := p.server(b, p.options()).Handler()
		get(b, h, path)
		b.Run(name, func(b *testing.B) { ask(b, h, path) })
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			get(b, p.server(b, p.options()).Handler(), "/tasks")
		}
	})
}

func ask(b *testing.B, h http.Handler, path string) {
	b.ReportAllocs()
	for b.Loop() {
		if w := get(b, h, path); w.Code != http.StatusOK {
			b.Fatalf("GET %s = %d", path, w.Code)
		}
	}
}
