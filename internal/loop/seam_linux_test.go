package loop_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"looprun.dev/looprun/internal/fsx"
	"looprun.dev/looprun/internal/fsx/fsxtest"
)

// lost lists what of the records may go round the seam: nothing is promised of
// it, and nothing is decided by it after a power cut.
var lost = []struct{ pattern, why string }{
	{".loop/lock", "it is locked, and empty"},
	{".loop/breakers/*.lock", "the same"},
	{".loop/events.jsonl", "told for others, and made again from the journals"},
	{".loop/tasks/*/run.json", "what a kill would leave running; a power cut leaves nothing"},
	{".loop/tasks/*/run.json.new", "the same"},
	{".loop/tasks/*/wait.json", "an anchor against a clock that is set back"},
	{".loop/tasks/*/attempts", "a folder of views and raw logs"},
	{".loop/tasks/*/attempts/round-*", "the same"},
	{".loop/tasks/*/attempts/round-*/*", "raw logs and requests: the journal has their digests"},
	{".loop/tasks/*/attempts/round-*/*/*", "the same, of checks"},
}

// Every change to tasks and records that the system saw looprun make is one
// that its seam saw, in the same order: nothing that matters goes round it.
func TestCampaignSeesAllThatTheSystemSees(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is missing: what goes round the seam is not looked for")
	}
	changes := 0
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		t.Run(name, func(t *testing.T) {
			f := lay(t, name)
			log := f.dir + "/strace"
			cmd := exec.Command("strace", "-f", "-y", "-qq", "-s", "0", "-o", log, "-e", "trace=?"+strings.Join(traced, ",?"), os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s 0 %s %s", dieEnv, records, name, f.dir))
			if out, err := cmd.CombinedOutput(); err != nil {
				if errors.Is(f.lstat(opsFile), fs.ErrNotExist) && strings.Contains(string(out), "ptrace") {
					t.Skipf("processes cannot be traced here: %s", out)
				}
				t.Fatalf("%v\n%s", err, out)
			}
			changes += f.compare(f.seen(log), f.seamOps())
		})
	}
	fsxtest.Figure(t, changes, "system calls on tasks and records, each seen by the seam")
}

func (f field) lstat(name string) error { _, err := os.Lstat(filepath.Join(f.dir, name)); return err }

// traced are the calls that may change files. Those without a kind have no
// place in the seam: one on tasks or records is a fault. Not every machine has all.
var traced = []string{
	"clone", "clone3", "openat", "openat2", "creat", "write", "pwrite64", "writev", "fsync", "fdatasync", "syncfs", "msync",
	"rename", "renameat", "renameat2", "link", "linkat", "symlinkat", "unlink", "rmdir", "unlinkat", "mkdir", "mkdirat",
	"ftruncate", "truncate", "fallocate", "copy_file_range", "sendfile", "utimensat", "fchmodat", "fchmodat2",
}

var kinds = map[string]string{
	"openat": fsx.OpCreate, "write": fsx.OpWrite, "fsync": fsx.OpSync, "syncfs": fsx.OpSyncAll, "renameat": fsx.OpRename,
	"renameat2": fsx.OpRename, "linkat": fsx.OpLink, "unlinkat": fsx.OpUnlink, "mkdirat": fsx.OpMkdir, "ftruncate": fsx.OpTruncate,
}

// A change is one in both logs' words.
type change struct{ kind, path, to string }

// seamOps is what the seam saw of tasks and records.
func (f field) seamOps() []change {
	data, err := os.ReadFile(filepath.Join(f.dir, opsFile))
	f.must(err)
	var ops []fsx.Op
	f.must(json.Unmarshal(data, &ops))
	var all []change
	for _, op := range ops {
		c := change{op.Kind, f.ownName(op.Path), f.ownName(op.To)}
		if c.kind == fsx.OpSyncDir {
			c.kind = fsx.OpSync
		}
		if c.path != "" {
			all = append(all, c)
		}
	}
	return all
}

// ownName is a path below repo/ if it belongs to tasks or records, else "".
func (f field) ownName(path string) string {
	name, err := filepath.Rel(f.repo(), strings.TrimSuffix(path, " (deleted)"))
	top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	if err != nil || path == "" || !slices.Contains(owned, top) {
		return ""
	}
	return filepath.ToSlash(name)
}

var (
	callRE = regexp.MustCompile(`^(\w+)\((.*)\)\s+= (-?\d+|\?)`)
	pathRE = regexp.MustCompile(`(?:AT_FDCWD|\d+)<([^>]*)>, "([^"]*)"`)
	fileRE = regexp.MustCompile(`^\d+<([^>]*)>`)
)

// seen is what strace saw the process itself change, all of its threads but no
// child of it.
func (f field) seen(log string) []change {
	file, err := os.Open(log)
	f.must(err)
	defer file.Close()
	var all []change
	threads, begun := map[string]bool{}, map[string]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		thread, text, _ := strings.Cut(lines.Text(), " ")
		text = strings.TrimSpace(text)
		if len(threads) == 0 {
			threads[thread] = true
		}
		if start, cut := strings.CutSuffix(text, "<unfinished ...>"); cut {
			begun[thread] = start
			continue
		}
		if _, rest, resumed := strings.Cut(text, " resumed>"); resumed && strings.HasPrefix(text, "<...") {
			text = begun[thread] + rest
		}
		call := callRE.FindStringSubmatch(text)
		switch {
		case call == nil || !threads[thread]:
		case strings.HasPrefix(call[1], "clone") && strings.Contains(call[2], "CLONE_THREAD"):
			threads[call[3]] = true
		default:
			all = append(all, f.changeOf(call[1], call[2])...)
		}
	}
	f.must(lines.Err())
	return all
}

// changeOf is what a call changes of tasks and records, none or one.
func (f field) changeOf(name, args string) []change {
	c := change{kind: kinds[name]}
	if c.kind == "" {
		c.kind = name
	}
	var paths []string
	for _, m := range pathRE.FindAllStringSubmatch(args, 2) {
		if filepath.IsAbs(m[2]) {
			m[1] = ""
		}
		paths = append(paths, f.ownName(filepath.Join(m[1], m[2])))
	}
	if m := fileRE.FindStringSubmatch(args); len(paths) == 0 && m != nil {
		paths = []string{f.ownName(m[1])}
	}
	if len(paths) == 0 || paths[0] == "" || name == "openat" && !strings.Contains(args, "O_CREAT") && !strings.Contains(args, "O_TRUNC") {
		return nil
	}
	if c.path = paths[0]; len(paths) > 1 {
		c.to = paths[1]
	}
	return []change{c}
}

// compare wants each change of the system's log in the seam's, in its order,
// but for what may be lost, and none of the seam's left over.
func (f field) compare(system, seam []change) (same int) {
	f.t.Helper()
	for _, c := range system {
		switch {
		case same < len(seam) && c == seam[same]:
			same++
		case slices.ContainsFunc(lost, func(l struct{ pattern, why string }) bool { ok, _ := filepath.Match(l.pattern, c.path); return ok }):
		default:
			next := "no more"
			if same < len(seam) {
				next = fmt.Sprint(seam[same])
			}
			f.t.Fatalf("%v went round the seam, which saw %s there", c, next)
		}
	}
	if same < len(seam) {
		f.t.Errorf("the seam saw %v, which the system did not", seam[same])
	}
	return same
}
