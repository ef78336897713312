package web_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/web"
)

func TestParsePatch(t *testing.T) {
	tests := map[string]struct {
		patch string
		want  []string // "name +added -deleted: notes; signs"
	}{
		"a changed file": {
			"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n same\n-old\n+new\n",
			[]string{"x +1 -1: ; -+"},
		},
		"a new file in a folder": {
			"diff --git a/d/n b/d/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/d/n\n@@ -0,0 +1 @@\n+one\n",
			[]string{"d/n +1 -0: new file mode 100755; +"},
		},
		"a file that is gone keeps its name": {
			"diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
			[]string{"g +0 -1: deleted file mode 100644; -"},
		},
		"lines that look like headers are lines": {
			"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-diff --git a/z b/z\n+++ b/y\n+@@ -1 +1 @@\n",
			[]string{"x +2 -2: ; --++"},
		},
		"a file without its last newline": {
			"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
			[]string{`x +1 -1: ; -\+\`},
		},
		"a name in quotes": {
			"diff --git \"a/\\303\\244 \\\"q\\\"\" \"b/\\303\\244 \\\"q\\\"\"\nold mode 100644\nnew mode 100755\n",
			[]string{`ä "q" +0 -0: old mode 100644, new mode 100755; `},
		},
		"a name with blanks": {
			"diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1 +1 @@\n-a\n+b\n",
			[]string{"a b.txt +1 -1: ; -+"},
		},
		"a binary file": {
			"diff --git a/b b/b\nindex 1..2\nGIT binary patch\nliteral 3\nzcmZ\n\nliteral 2\nz\n\ndiff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-a\n+b\n",
			[]string{"b +0 -0: binary; ", "c +1 -1: ; -+"},
		},
		"no patch at all": {"hello\nthere\n", []string{" +0 -0: hello, there; "}},
		"nothing":         {"", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			files, left := web.ParsePatch([]byte(tc.patch))
			var got []string
			for _, f := range files {
				got = append(got, summary(f))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || left != 0 {
				t.Errorf("ParsePatch, %d left (-want +got):\n%s", left, diff)
			}
		})
	}
}

func summary(f web.ChangedFile) string {
	var signs strings.Builder
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Sign != " " {
				signs.WriteString(l.Sign)
			}
		}
	}
	return f.Name + " +" + web.Count(f.Added) + " -" + web.Count(f.Deleted) + ": " + strings.Join(f.Notes, ", ") + "; " + signs.String()
}

func TestALongPatchIsCutAndCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,5000 @@\n")
	b.WriteString(strings.Repeat("+line\n", 5000))
	for range 400 {
		b.WriteString("diff --git a/y b/y\n")
	}
	files, left := web.ParsePatch([]byte(b.String()))
	if got := []int{len(files), left, files[0].Added, files[0].Cut, len(files[0].Hunks[0].Lines)}; !cmp.Equal(got, []int{300, 101, 5000, 2000, 3000}) {
		t.Errorf("ParsePatch = %v; want 300 files, 101 left, 5000 lines added, 2000 of them cut", got)
	}
}

// Whatever the bytes: nothing panics, and every line of a hunk has a number on
// the sides that its sign says.
func FuzzParsePatch(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n same\n-old\n+new\n"))
	f.Add([]byte("@@ -1 +1 @@\n@@ -x,9999999999 +1,-3 @@\n+\n\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, _ := web.ParsePatch(data)
		for _, file := range files {
			for _, h := range file.Hunks {
				for _, l := range h.Lines {
					if l.Sign == "+" && l.Old != 0 || l.Sign == "-" && l.New != 0 {
						t.Errorf("line %+v has a number on the wrong side", l)
					}
				}
			}
		}
	})
}
