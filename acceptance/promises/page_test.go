package main

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var number = regexp.MustCompile(`\| ([\d,]+|not run here) \|\n`)

// The page says what its text here says, figures aside.
func TestThePageIsAsItsTextSays(t *testing.T) {
	data, err := os.ReadFile("../../docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	table, err := results{figures: map[string]int{}}.table()
	if err != nil {
		t.Fatal(err)
	}
	plain := func(s string) string {
		return strings.Replace(number.ReplaceAllString(s, "| N |\n"), "in the long form", "in the short form", 1)
	}
	if diff := cmp.Diff(plain(page(table)), plain(string(data))); diff != "" {
		t.Errorf("docs/promises.md is out of date, make it anew with its command (-want +got):\n%s", diff)
	}
}

// Each test that the page names is there, under that name.
func TestTheTestsOfThePageAreThere(t *testing.T) {
	var all strings.Builder
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1)
	if len(names) < 20 {
		t.Errorf("the page names %d tests; want one for each promise", len(names))
	}
	for _, name := range names {
		if !strings.Contains(all.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", name[1])
		}
	}
}

func TestFiguresAreAddedUp(t *testing.T) {
	const said = `{"Action":"attr","Package":"a","Test":"T","Key":"figure","Value":"12 kill points"}
{"Action":"output","Package":"a","Test":"T/1","Output":"    a_test.go:1: no strace\n"}
{"Action":"skip","Package":"a","Test":"T/1"}
{"Action":"attr","Package":"b","Test":"T","Key":"figure","Value":"1200 kill points"}
{"Action":"fail","Package":"b","Test":"U"}
`
	all := results{figures: map[string]int{}}
	if err := all.read(bufio.NewScanner(strings.NewReader(said))); err != nil {
		t.Fatal(err)
	}
	table, err := all.table()
	if err != nil || !strings.Contains(table, "| kill points | 1,212 |\n") || !strings.Contains(table, "| panics | not run here |\n") {
		t.Errorf("table = %v:\n%s", err, table)
	}
	if all.failed != 1 || len(all.skipped) != 1 || all.skipped[0] != "T/1: a_test.go:1: no strace" {
		t.Errorf("%d failed, skipped %q; want one each", all.failed, all.skipped)
	}
	all.figures["of another kind"] = 1
	if _, err := all.table(); err == nil {
		t.Error("a figure without a place is left out")
	}
}
