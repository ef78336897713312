//go:build linux || darwin

package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStampsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := listing{"": nil}
		for _, path := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-c]{1,2}(/[a-c\n"é]{1,3}){0,3}`), rapid.ID[string]).Draw(t, "paths") {
			if _, ok := l[path]; ok {
				continue
			}
			st := stamp{
				Mode: rapid.Uint32Range(0, 1<<20).Draw(t, "mode") &^ kindMask, Size: rapid.Int64Min(0).Draw(t, "size"),
				Mtime: rapid.Int64().Draw(t, "mtime"), Ctime: rapid.Int64().Draw(t, "ctime"), Inode: rapid.Uint64().Draw(t, "inode"),
			}
			l.put(path, st, rapid.Bool().Draw(t, "made"))
		}
		l.sort()
		head := rapid.String().Draw(t, "head")
		gotHead, got, err := unmarshalStamps(l.marshal(head))
		if err != nil || gotHead != head {
			t.Fatalf("head = %q, %v; want %q", gotHead, err, head)
		}
		if diff := cmp.Diff(map[string][]entry(l), map[string][]entry(got), cmp.AllowUnexported(entry{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzStamps(f *testing.F) {
	l := listing{"": {{Name: "a", stamp: stamp{Mode: kindFile, Size: 3}}}}
	f.Add(l.marshal("{}"))
	f.Add([]byte(stampsMagic + "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		head, l, err := unmarshalStamps(b)
		if err != nil {
			return
		}
		again, m, err := unmarshalStamps(l.marshal(head))
		if err != nil || again != head || len(m) != len(l) {
			t.Errorf("read, written and read: %q %v; want %q", again, err, head)
		}
	})
}

func TestAnIndexIsReadAsGoGitReadsIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(strings.Repeat("long/", 60)+"name", "x")
	f.write("with space\nand newline", "x")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "names")
	s, _ := f.prepared()
	f.candidate(s, "a.txt", "x\n") // reads the odd names once more
	got, err := readIndex(s.work.index)
	mustDo(t, err)
	b, err := os.ReadFile(s.work.index)
	mustDo(t, err)
	var want index.Index
	mustDo(t, index.NewDecoder(bytes.NewReader(b)).Decode(&want))
	if len(got) != len(want.Entries) {
		t.Fatalf("%d entries; want %d", len(got), len(want.Entries))
	}
	for i, w := range want.Entries {
		g := got[i]
		if g.path != w.Name || g.oid() != w.Hash.String() || g.mode != uint32(w.Mode) || g.size != w.Size || g.mtime != w.ModifiedAt.UnixNano() || g.inode != w.Inode {
			t.Errorf("entry %d = %+v; want %+v", i, g, w)
		}
	}
	for _, n := range []int{0, 11, 40, len(b) / 2, len(b) - 1} {
		if _, err := parseIndex(b[:n]); err == nil {
			t.Errorf("an index cut to %d bytes was read", n)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Add(append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"), make([]byte, 20)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if entries, err := parseIndex(b); err == nil && len(entries) > len(b) {
			t.Error("more entries than bytes")
		}
		for len(b) > 0 { // the checksum keeps most input from the entries
			e, n, err := parseIndexed(b)
			if err != nil {
				return
			}
			if n <= 0 || n > len(b) || e.path == "" {
				t.Fatalf("entry %+v of %d bytes", e, n)
			}
			b = b[n:]
		}
	})
}

func TestADifferenceIsRead(t *testing.T) {
	t.Parallel()
	id1, id2 := strings.Repeat("1", 40), strings.Repeat("2", 40)
	raw := ":100644 100755 " + id1 + " " + id2 + " M\x00a\tb\n\x00" + ":000000 160000 " + zeroID + " " + id2 + " A\x00sub\x00"
	for name, c := range map[string]struct {
		out  string
		want []Change
	}{
		"nothing": {"", nil},
		"raw and counts": {raw + "3\t4\ta\tb\n\x00-\t-\tsub\x00", []Change{
			{Path: "a\tb\n", Status: 'M', OldMode: 0o100644, NewMode: 0o100755, OldID: id1, NewID: id2, Added: 3, Deleted: 4},
			{Path: "sub", Status: 'A', NewMode: kindModule, OldID: zeroID, NewID: id2, Binary: true},
		}},
		"raw alone":                {raw[:strings.Index(raw, ":0000")], []Change{{Path: "a\tb\n", Status: 'M', OldMode: 0o100644, NewMode: 0o100755, OldID: id1, NewID: id2}}},
		"a count without a change": {"1\t2\tx\x00", nil},
		"no end":                   {raw[:len(raw)-1], nil},
		"no path":                  {":100644 100755 " + id1 + " " + id2 + " M\x00\x00", nil},
		"rubbish":                  {"rubbish\x00", nil},
	} {
		got, err := parseDiff([]byte(c.out))
		if bad := c.want == nil && c.out != ""; (err != nil) != bad {
			t.Errorf("%s: err = %v; want one: %t", name, err, bad)
		}
		if diff := cmp.Diff(c.want, got); diff != "" && err == nil {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(":100644 100755 1 2 M\x00a\x001\t2\ta\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		changes, err := parseDiff(b)
		for _, c := range changes {
			if err == nil && c.Path == "" {
				t.Error("a change without a path")
			}
		}
	})
}

func TestConfigAndStatusAreRead(t *testing.T) {
	t.Parallel()
	got := parseConfig([]byte("global\x00user.name\nA\nB\x00local\x00core.bare\x00local\x00core.bare\nfalse\x00"))
	want := []setting{{"global", "user.name", "A\nB"}, {"local", "core.bare", "true"}, {"local", "core.bare", "false"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(setting{})); diff != "" {
		t.Error(diff)
	}
	for rec, want := range map[string]string{
		"1 .M N... 100644 100644 100644 a b a file": "a file", "u UU N... 1 2 3 4 a b c p q": "p q", "? new dir/": "new dir/",
		"! ign/": "!ign/", "# branch.oid x": "", "": "", "1 .M": "",
	} {
		path, ignored := statusPath(rec)
		if ignored {
			path = "!" + path
		}
		if path != want {
			t.Errorf("statusPath(%q) = %q; want %q", rec, path, want)
		}
	}
}

func FuzzConfigAndStatus(f *testing.F) {
	f.Add("1 .M N... 1 2 3 4 5 p\x00! x")
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range parseConfig([]byte(s)) {
			if len(c.key)+len(c.value) > len(s)+len("true") {
				t.Errorf("setting %+v is longer than its text", c)
			}
		}
		if path, _ := statusPath(s); len(path) > len(s) {
			t.Errorf("path %q is longer than its record", path)
		}
		if got := oneLine(s); strings.ContainsAny(got, "\n\r\x00") {
			t.Errorf("oneLine = %q", got)
		}
	})
}

// What this package takes for a plain name, git takes for one too: else git
// would refuse it in the middle of a snapshot.
func TestNamesThatLookLikeDotGit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".git": true, ".GIT": true, ".Git.": true, ".git ": true, ".git. . ": true, "git~1": true, "GIT~1": true, ".git:x": true,
		".git::$INDEX_ALLOCATION": true, `a\.git`: true, `.git\config`: true, ".g\u200ci\u200dt": true, "\ufeff.git": true,
		".gitx": false, "git": false, ".gi": false, "git~2": false, ".github": false, ".gitignore": false, "a.git": false, "": false, "...": false,
	} {
		if got := isDotGit(name); got != want {
			t.Errorf("isDotGit(%q) = %t; want %t", name, got, want)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{".git", "a\\b", "x:y", "\xff", "a\u200cb", "git~1 ."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if isDotGit(s) && !strings.Contains(strings.ToLower(strings.Map(visible, s)), "git") {
			t.Errorf("%q is taken for .git", s)
		}
		if strings.ContainsAny(s, "\x00\n\t") && !badName(s) {
			t.Errorf("%q is taken for a good name", s)
		}
	})
}

func TestListingsFindWhatWasPut(t *testing.T) {
	t.Parallel()
	l := listing{"": nil}
	for _, p := range []string{"b/c/d", "a", "b/a", "b-c"} {
		l.put(p, stamp{Mode: kindFile, Size: int64(len(p))}, p == "b/a")
	}
	l.sort()
	for path, want := range map[string]uint32{"a": kindFile, "b": kindDir, "b/c": kindDir, "b/c/d": kindFile, "b/a": kindFile, "c": 0, "b/x": 0} {
		if s, _ := l.find(path); s.kind() != want {
			t.Errorf("%s has kind %o; want %o", path, s.kind(), want)
		}
	}
	l.restamp("a", stamp{Mode: kindFile, Size: 9})
	l.drop("b/a")
	if s, _ := l.find("a"); s.Size != 9 {
		t.Errorf("size of a = %d; want 9", s.Size)
	}
	if _, ok := l.find("b/a"); ok {
		t.Error("b/a is still there")
	}
}

func TestSmallFilesAreReadWithABound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "f"), "12345")
	if b, err := readSmall(filepath.Join(dir, "f"), 5); err != nil || string(b) != "12345" {
		t.Errorf("readSmall = %q, %v", b, err)
	}
	if _, err := readSmall(filepath.Join(dir, "f"), 4); err == nil {
		t.Error("a file over the bound was read")
	}
	if _, err := readSmall(dir, 4); err == nil {
		t.Error("a folder was read")
	}
}
