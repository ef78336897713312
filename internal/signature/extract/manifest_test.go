package extract

import (
	"os"
	"path/filepath"
	"testing"
)

const samplesDir = "testdata/signatures"

func readSamples(t testing.TB, dir string) []Judged {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	judged := make([]Judged, len(list))
	for i, s := range list {
		stdout, stderr, report := sampleFiles(t, dir, s)
		judged[i] = Judge(s, stdout, stderr, report)
	}
	return judged
}

func sampleFiles(t testing.TB, dir string, s Sample) (stdout, stderr, report []byte) {
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
	return read(s.Stdout), read(s.Stderr), read(s.Report)
}

func TestManifest(t *testing.T) {
	samples := readSamples(t, samplesDir)
	report := Compare(samples)
	t.Logf("must: %+v", report.Must)
	t.Logf("should: %+v", report.Should)
	for _, c := range report.Conflicts {
		if c.Level == "must" {
			t.Errorf("%s: %s: groups %v: samples %v", c.Tool, c.Kind, c.Groups, c.Samples)
		} else {
			t.Logf("should: %s: %s: groups %v: samples %v", c.Tool, c.Kind, c.Groups, c.Samples)
		}
	}
}
