package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "looprun.dev/looprun/internal/"

// pure lists the core: each package with what it may import of ours.
var pure = map[string][]string{
	"screen":            {},
	"unit":              {},
	"task":              {"unit"},
	"signature":         {},
	"signature/extract": {"signature"},
	"plan":              {},
	"recovery":          {"unit"},
	"recovery/event":    {"recovery", "unit"},
	"round":             {"task", "signature", "plan", "recovery", "unit"},
}

// shells lists the packages that touch the world: each with what it may import
// of ours beside the core.
var shells = map[string][]string{
	"fsx":         {},
	"fsx/fsxtest": {"fsx"},
	"child":       {"fsx"},
	"schema":      {},
	"config":      {},
	"queue":       {"fsx"},
	"record":      {"fsx"},
	"workspace":   {"child", "fsx"},
	"generator":   {"child", "fsx"},
	"verify":      {"child", "fsx"},
	"web":         {"record"},
	// telemetry stands above the records and below those who hand out what it renders.
	"telemetry": {"record"},
	"loop":      {"child", "config", "fsx", "generator", "queue", "record", "telemetry", "verify", "workspace"},
	"cli":       {"child", "config", "fsx", "loop", "queue", "record", "schema", "telemetry", "verify", "web", "workspace"},
}

// worldly are the packages that a pure package may not import.
var worldly = []string{"os", "os/exec", "net", "net/http", "log", "log/slog", "context", "math/rand", "math/rand/v2",
	"crypto/rand", "syscall", "io/ioutil", "path/filepath"}

// writers are the functions of os that change files, which fsx alone may call.
var writers = []string{"WriteFile", "Create", "OpenFile", "Mkdir", "MkdirAll", "MkdirTemp", "CreateTemp", "Rename",
	"Remove", "RemoveAll", "Link", "Symlink", "Truncate", "Chmod", "Chtimes", "Chown"}

// clocks are what of time a pure package may not call.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

func TestImportsPointDownwards(t *testing.T) {
	each(t, func(pkg, path string, f *ast.File) {
		allowed, core := pure[pkg]
		if !core {
			var known bool
			if allowed, known = shells[pkg]; !known {
				t.Errorf("%s: package %s is on no list of layout_test.go", path, pkg)
			}
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			ours, isOurs := strings.CutPrefix(name, module)
			_, isCore := pure[ours]
			switch {
			case isOurs && !slices.Contains(allowed, ours) && (core || !isCore):
				t.Errorf("%s: %s may not import %s", path, pkg, ours)
			case core && (slices.Contains(worldly, name) || strings.Contains(name, ".") && !isOurs):
				t.Errorf("%s: the core may not import %s", path, name)
			case name == "os/exec" && pkg != "child":
				t.Errorf("%s: only child may start processes", path)
			case name == "gopkg.in/yaml.v3" && filepath.Base(path) != "yaml.go":
				t.Errorf("%s: yaml is imported in one file only", path)
			}
		}
	})
}

func TestCoreHasNoClockAndNoGoroutine(t *testing.T) {
	each(t, func(pkg, path string, f *ast.File) {
		if _, core := pure[pkg]; !core {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: the core may start no goroutine", path)
			case *ast.SelectorExpr:
				if calls(n, "time", clocks) {
					t.Errorf("%s: the core may not call time.%s", path, n.Sel.Name)
				}
			}
			return true
		})
	})
}

func TestOnlyFsxWritesFiles(t *testing.T) {
	each(t, func(pkg, path string, f *ast.File) {
		if strings.HasPrefix(pkg, "fsx") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && calls(sel, "os", writers) {
				t.Errorf("%s: only fsx may call os.%s", path, sel.Sel.Name)
			}
			return true
		})
	})
}

func calls(sel *ast.SelectorExpr, pkg string, names []string) bool {
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == pkg && slices.Contains(names, sel.Sel.Name)
}

// each parses every file below internal that is no test.
func each(t *testing.T, visit func(pkg, path string, f *ast.File)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		visit(filepath.ToSlash(filepath.Dir(path)), path, f)
		return nil
	})
	if err != nil || seen < 20 {
		t.Fatalf("parsed %d files: %v", seen, err)
	}
}
