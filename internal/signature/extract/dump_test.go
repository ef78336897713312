package extract

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDump(t *testing.T) {
	want, dir := os.Getenv("DUMP"), os.Getenv("DIR")
	if want == "" {
		t.Skip()
	}
	for _, s := range judgeAll(t, dir) {
		if ok := strings.HasPrefix(s.Tool+"/"+s.Sample.Sample, want); !ok || strings.HasSuffix(s.Sample.Sample, "again") {
			continue
		}
		fmt.Printf("%s/%s %s %s bare=%v %+v\n", s.Tool, s.Sample.Sample, s.Signature.Hash, s.PathTaken, s.Bare, s.Tests)
		for _, f := range s.Failures {
			fmt.Printf("    [%s] {%s} %q\n", f.ID, f.Class, f.Detail)
		}
	}
}
