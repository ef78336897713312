package extract

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDump(t *testing.T) {
	want := os.Getenv("DUMP")
	if want == "" {
		t.Skip()
	}
	for _, s := range readSamples(t, samplesDir) {
		if ok := strings.HasPrefix(s.Tool+"/"+s.Sample.Sample, want); !ok || strings.HasSuffix(s.Sample.Sample, "again") {
			continue
		}
		fmt.Printf("%s/%s %s %s bare=%v\n", s.Tool, s.Sample.Sample, s.Signature.Hash, s.PathTaken, s.Bare)
		for _, f := range s.Failures {
			fmt.Printf("    [%s] {%s} %q\n", f.ID, f.Class, f.Detail)
		}
	}
}
