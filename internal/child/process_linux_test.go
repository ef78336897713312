package child

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	const rest = " 4 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 %T 0 777 100 200"
	line := func(name, state, threads string) string {
		return "12 (" + name + ") " + state + " 3" + strings.Replace(rest, "%T", threads, 1)
	}
	ok := process{pid: 12, parent: 3, group: 4, session: 5, start: 777}
	dead := ok
	dead.dead = true
	for name, tt := range map[string]struct {
		line string
		want process
		bad  bool
	}{
		"a plain name":                     {line("sh", "S", "1"), ok, false},
		"a name that looks like the rest":  {line("a) R 1 (b", "S", "1"), ok, false},
		"a dead process":                   {line("sh", "Z", "1"), dead, false},
		"a dead first thread among others": {line("sh", "Z", "3"), ok, false},
		"a line that was cut":              {line("sh", "S", "1")[:30], process{}, true},
		"a field that is no number":        {line("sh", "S", "x"), process{}, true},
		"nothing":                          {"", process{}, true},
		"a parenthesis before the other":   {") 1 (", process{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseStat([]byte(tt.line))
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(process{})); d != "" || (err != nil) != tt.bad {
				t.Errorf("parseStat, %v (-want +got):\n%s", err, d)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte("1 (a)) Z"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if p, err := parseStat(line); err != nil && p != (process{}) {
			t.Errorf("parseStat(%q) = %+v beside %v; want nothing", line, p, err)
		}
	})
}

func TestLookSeesThisProcess(t *testing.T) {
	p, err := look(os.Getpid())
	if err != nil || p.pid != os.Getpid() || p.parent != os.Getppid() || p.dead || !p.is() {
		t.Errorf("look = %+v, %v", p, err)
	}
	p.start++
	if p.is() {
		t.Error("a process with another start = this one; want another")
	}
	all, err := processes()
	if err != nil || !tableOf(all).above(os.Getpid())[1] {
		t.Errorf("the first process is not above this one among %d, %v", len(all), err)
	}
}

func TestRunIDIn(t *testing.T) {
	for name, tt := range map[string]struct{ env, want string }{
		"first":               {"LOOPRUN_RUN_ID=a\x00B=1\x00", "a"},
		"last, without end":   {"B=1\x00LOOPRUN_RUN_ID=a", "a"},
		"not in a value":      {"B=LOOPRUN_RUN_ID=a\x00", ""},
		"not as part of name": {"XLOOPRUN_RUN_ID=a\x00LOOPRUN_RUN_IDX=b\x00", ""},
		"not in nothing":      {"", ""},
		"after empty entries": {"\x00\x00LOOPRUN_RUN_ID=a\x00", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := runIDIn([]byte(tt.env)); got != tt.want {
				t.Errorf("runIDIn(%q) = %q; want %q", tt.env, got, tt.want)
			}
		})
	}
}

func FuzzRunIDIn(f *testing.F) {
	f.Add([]byte("A=1\x00LOOPRUN_RUN_ID=a\x00"))
	f.Fuzz(func(t *testing.T, env []byte) {
		if id := runIDIn(env); id != "" && !strings.Contains("\x00"+string(env)+"\x00", "\x00"+runIDKey+id+"\x00") {
			t.Errorf("runIDIn(%q) = %q", env, id)
		}
	})
}

func TestCgroupDir(t *testing.T) {
	const (
		pure   = "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n41 31 0:38 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n"
		nested = "29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	)
	for name, tt := range map[string]struct{ own, mounts, want string }{
		"in a service":             {"0::/system.slice/cron.service\n", pure, "/sys/fs/cgroup/system.slice/cron.service"},
		"in the root":              {"0::/\n", pure, "/sys/fs/cgroup"},
		"beside the first version": {"4:memory:/x\n0::/y\n", hybrid, "/sys/fs/cgroup/unified/y"},
		"in a container":           {"0::/docker/abc/x\n", nested, "/sys/fs/cgroup/x"},
		"outside of the mount":     {"0::/docker/abd\n", nested, ""},
		"outside of the namespace": {"0::/../x\n", pure, ""},
		"only the first version":   {"4:memory:/x\n", hybrid, ""},
		"not mounted":              {"0::/\n", "", ""},
		"a line that is cut":       {"0::/\n", "29 23 - cgroup2 x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cgroupDir(tt.own, tt.mounts); got != tt.want {
				t.Errorf("cgroupDir = %q; want %q", got, tt.want)
			}
		})
	}
}

func FuzzCgroupDir(f *testing.F) {
	f.Add("0::/a/../../b\n", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
	f.Fuzz(func(t *testing.T, own, mounts string) {
		if dir := cgroupDir(own, mounts); strings.HasSuffix(dir, "/..") {
			t.Errorf("cgroupDir(%q, %q) = %q", own, mounts, dir)
		}
	})
}
