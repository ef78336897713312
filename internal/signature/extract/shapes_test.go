package extract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A shape is a file of testdata/shapes: outputs written in the form of a tool
// of which there is no recording. A section is named for its sample, stream and
// work tree; the sample's letter is its group. Samples of one group differ in
// times, ids, paths, colours and lines, those of two in what failed.
func readShape(t testing.TB, name string) []Judged {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	first, second, _ := strings.Cut(strings.TrimSpace(string(archive.Comment)), "\nexit: ")
	exit, err := strconv.Atoi(second)
	if err != nil {
		t.Fatal(err)
	}
	shape := Sample{Tool: strings.TrimSuffix(filepath.Base(name), ".txtar"), ExitCode: exit, Level: "must"}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first, "argv: ")), &shape.Argv); err != nil {
		t.Fatal(err)
	}
	return judgeShape(t, shape, archive.Files)
}

func judgeShape(t testing.TB, shape Sample, files []txtar.File) []Judged {
	t.Helper()
	var names []string
	outputs := map[string]*Output{}
	for _, file := range files {
		part := strings.Fields(file.Name)
		if len(part) != 3 {
			t.Fatalf("%s: section %q; want sample, stream and work tree", shape.Tool, file.Name)
		}
		out := outputs[part[0]]
		if out == nil {
			names = append(names, part[0])
			out = &Output{Argv: shape.Argv, ExitCode: shape.ExitCode, WorkTree: []string{part[2]}}
			outputs[part[0]] = out
		}
		if part[1] == "stdout" {
			out.Stdout = file.Data
		} else {
			out.Stderr = file.Data
		}
	}
	var judged []Judged
	for _, name := range names {
		shape.Sample, shape.Group = name, shape.Tool+"/"+name[:1]
		judged = append(judged, Judge(shape, *outputs[name]))
	}
	return judged
}

func TestShapesOfOtherTools(t *testing.T) {
	names, err := filepath.Glob("testdata/shapes/*.txtar")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d shapes, %v; want many", len(names), err)
	}
	slices.Sort(names)
	for _, name := range names {
		judged := readShape(t, name)
		report := Compare(judged)
		for _, c := range report.Conflicts {
			t.Errorf("%s: %s: groups %v: samples %v", c.Tool, c.Kind, c.Groups, c.Samples)
		}
		if len(judged) < 4 || !report.Right() {
			t.Errorf("%s: %d samples, Right = %t; want true of at least 4", name, len(judged), report.Right())
		}
	}
}
