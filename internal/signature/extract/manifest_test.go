package extract

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/signature"
)

// manifests hold real outputs of small projects: one folder a tool, and which
// of its runs must get one signature.
var manifests = []string{"testdata/signatures", "testdata/more"}

func readManifest(t testing.TB, dir string) []Sample {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// outputOf reads the files of a sample.
func outputOf(t testing.TB, dir string, s Sample) Output {
	t.Helper()
	read := func(name string) []byte {
		if name == "" {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return s.Output(read(s.Stdout), read(s.Stderr), read(s.Report))
}

func judgeAll(t testing.TB, dir string) []Judged {
	t.Helper()
	var judged []Judged
	for _, s := range readManifest(t, dir) {
		judged = append(judged, Judge(s, outputOf(t, dir, s)))
	}
	return judged
}

func TestManifests(t *testing.T) {
	for _, dir := range manifests {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			report := Compare(judgeAll(t, dir))
			t.Logf("must: %+v", report.Must)
			t.Logf("should: %+v", report.Should)
			for _, c := range report.Conflicts {
				if c.Level == "must" {
					t.Errorf("%s: %s: groups %v: samples %v", c.Tool, c.Kind, c.Groups, c.Samples)
				} else {
					t.Logf("should: %s: %s: groups %v: samples %v", c.Tool, c.Kind, c.Groups, c.Samples)
				}
			}
			if !report.Right() || report.Must.SameOf == 0 || report.Must.DifferentOf == 0 {
				t.Errorf("Right = %t of %d and %d pairs; want true of many", report.Right(), report.Must.SameOf, report.Must.DifferentOf)
			}
		})
	}
}

// A tool whose marks were loose would find something in the output of another:
// testdata/paths.txt holds, for each folder of samples, the paths that its
// failing samples may take.
func TestEachToolReadsItsOwnOutputAlone(t *testing.T) {
	data, err := os.ReadFile("testdata/paths.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		tool, paths, _ := strings.Cut(strings.TrimSpace(line), ": ")
		allowed[tool] = strings.Split(paths, ", ")
	}
	for _, dir := range manifests {
		for _, j := range judgeAll(t, dir) {
			if j.Signature.Hash != "" && !slices.Contains(allowed[j.Tool], j.PathTaken) {
				t.Errorf("%s/%s: path %s; want one of %v", j.Tool, j.Sample.Sample, j.PathTaken, allowed[j.Tool])
			}
		}
	}
}

// What a tool's samples show that passed is what decides whether anything was
// tested at all.
func TestTestsOfSamples(t *testing.T) {
	want := map[string]signature.Tests{
		"jest":         {Known: true, Run: 4, Passed: 4},
		"vitest":       {Known: true, Run: 4, Passed: 4},
		"mocha":        {Known: true, Run: 4, Passed: 4},
		"pytest":       {Known: true, Run: 4, Passed: 4},
		"unittest":     {Known: true, Run: 4, Passed: 4},
		"cargo-test":   {Known: true, Run: 4, Passed: 4},
		"go-test":      {},
		"go-test-v":    {Known: true, Run: 4, Passed: 4},
		"go-test-json": {Known: true, Run: 4, Passed: 4},
		"node-spec":    {Known: true, Run: 4, Passed: 4},
		"node-tap":     {Known: true, Run: 4, Passed: 4},
		"node-junit":   {Known: true, Run: 4, Passed: 4},
		"bats":         {Known: true, Run: 4, Passed: 4},
		"prove":        {Known: true, Run: 4, Passed: 4},
		"rspec":        {Known: true, Run: 4, Passed: 4},
		"rspec-json":   {Known: true, Run: 4, Passed: 4},
		"gtest":        {Known: true, Run: 4, Passed: 4},
		"mypy":         {},
		"phpunit":      {Known: true, Run: 4, Passed: 4},
		"minitest":     {Known: true, Run: 4, Passed: 4},
		"playwright":   {Known: true, Run: 4, Passed: 4},
		"ava":          {Known: true, Run: 4, Passed: 4},
		"shunit2":      {Known: true, Run: 4, Passed: 4},
		"doctest":      {Known: true, Run: 4, Passed: 4},
	}
	seen := 0
	for _, dir := range manifests {
		for _, j := range judgeAll(t, dir) {
			w, ok := want[j.Tool]
			if !ok || j.Sample.Sample != "F" {
				continue
			}
			seen++
			got := j.Tests
			got.Ran, got.Green = nil, nil
			if diff := cmp.Diff(w, got); diff != "" {
				t.Errorf("%s: tests (-want +got):\n%s", j.Tool, diff)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d samples looked at; want %d", seen, len(want))
	}
}

// A test that fails in one run and passes in another has one id in both, or
// nobody could tell that it went from red to green.
func TestIdsOfTestsAreThoseOfOtherRuns(t *testing.T) {
	for _, dir := range manifests {
		ids := map[string][]string{}
		for _, j := range judgeAll(t, dir) {
			name := j.Sample.Sample
			if !slices.Contains([]string{"A", "C", "F"}, name) || len(j.Tests.Ran) == 0 {
				continue
			}
			if first := ids[j.Tool]; first == nil {
				ids[j.Tool] = j.Tests.Ran
			} else if diff := cmp.Diff(first, j.Tests.Ran); diff != "" && !strings.Contains(diff, "<tmp>") {
				t.Errorf("%s/%s: other ids than before (-before +now):\n%s", j.Tool, name, diff)
			}
			if name == "F" && !slices.Equal(j.Tests.Ran, j.Tests.Green) {
				t.Errorf("%s/%s: ran %v, green %v; want the same", j.Tool, name, j.Tests.Ran, j.Tests.Green)
			}
		}
	}
}

func TestReadManifestRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"no list":       `{}`,
		"no tool":       `[{"sample":"A","group":"g","level":"must"}]`,
		"another level": `[{"tool":"t","sample":"A","group":"g","level":"may"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := ReadManifest([]byte(data)); err == nil {
				t.Errorf("ReadManifest(%s) = %v; want an error", data, got)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	judged := func(sample, group, level, hash string) Judged {
		return Judged{
			Sample:    Sample{Tool: "t", Sample: sample, Group: group, Level: level},
			Signature: signature.Signature{Hash: hash, Version: 1},
		}
	}
	for name, tt := range map[string]struct {
		samples []Judged
		right   bool
		want    []Conflict
	}{
		"all as they must be": {
			[]Judged{judged("A", "a", "must", "1"), judged("A2", "a", "must", "1"), judged("B", "b", "must", "2"), judged("F", "pass", "must", "")},
			true, nil,
		},
		"a group with two signatures": {
			[]Judged{judged("A", "a", "must", "1"), judged("A2", "a", "must", "2")},
			false, []Conflict{{Kind: "split", Level: "must", Tool: "t", Groups: []string{"a"}, Samples: []string{"A", "A2"}}},
		},
		"two groups with one signature, told once": {
			[]Judged{judged("A", "a", "must", "1"), judged("B", "b", "must", "1"), judged("B2", "b", "must", "1")},
			false, []Conflict{{Kind: "merged", Level: "must", Tool: "t", Groups: []string{"a", "b"}, Samples: []string{"A", "B"}}},
		},
		"one that only should": {
			[]Judged{judged("A", "a", "must", "1"), judged("A2", "a", "should", "2")},
			true, []Conflict{{Kind: "split", Level: "should", Tool: "t", Groups: []string{"a"}, Samples: []string{"A", "A2"}}},
		},
		"a failure that passes": {
			[]Judged{judged("A", "a", "must", "")},
			false, []Conflict{{Kind: "passes", Level: "must", Tool: "t", Groups: []string{"a"}, Samples: []string{"A", "A"}}},
		},
		"a pass that fails": {
			[]Judged{judged("F", "pass", "must", "1")},
			false, []Conflict{{Kind: "passes", Level: "must", Tool: "t", Groups: []string{"pass"}, Samples: []string{"F", "F"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Compare(tt.samples)
			if diff := cmp.Diff(tt.want, got.Conflicts); diff != "" || got.Right() != tt.right {
				t.Errorf("Right = %t; want %t; conflicts (-want +got):\n%s", got.Right(), tt.right, diff)
			}
		})
	}
}

func TestCompareKeepsToolsApart(t *testing.T) {
	a := Judged{Sample: Sample{Tool: "t", Sample: "A", Group: "t/A", Level: "must"}, Signature: signature.Signature{Hash: "1"}}
	b := Judged{Sample: Sample{Tool: "u", Sample: "A", Group: "u/A", Level: "must"}, Signature: signature.Signature{Hash: "1"}}
	if got := Compare([]Judged{a, b}); len(got.Conflicts) > 0 || got.Must.Groups != 2 {
		t.Errorf("Compare = %+v; want two groups of two tools without conflict", got)
	}
}
