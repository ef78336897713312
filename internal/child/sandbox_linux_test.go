package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// confined is a sandbox in which the programs of the system run.
func confined(t *testing.T) Sandbox {
	t.Helper()
	abi := Landlock()
	if abi < FilesABI {
		t.Skipf("the kernel has version %d of Landlock, %d is needed", abi, FilesABI)
	}
	return Sandbox{ABI: abi, Read: append([]string{"/usr", "/bin", "/lib", "/lib64", "/etc", "/proc"}, filepath.Dir(os.Args[0]))}
}

// realTemp is a new folder by a path without links.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// attacks are what a command does to a folder that it may not touch, out of its
// own folder, and to the process that started it. Each returns why it failed.
var attacks = map[string]func(own, victim string) error{
	"write a file":        func(_, v string) error { return os.WriteFile(v+"/file", []byte("forged"), 0o600) },
	"append to a file":    func(_, v string) error { return opens(v+"/file", os.O_APPEND|os.O_WRONLY) },
	"truncate a file":     func(_, v string) error { return os.Truncate(v+"/file", 0) },
	"make a file":         func(_, v string) error { return opens(v+"/new", os.O_CREATE|os.O_WRONLY) },
	"make a folder":       func(_, v string) error { return os.Mkdir(v+"/newdir", 0o700) },
	"make a pipe":         func(_, v string) error { return unix.Mkfifo(v+"/pipe", 0o600) },
	"make a link":         func(_, v string) error { return os.Symlink("/etc/passwd", v+"/link") },
	"delete a file":       func(_, v string) error { return os.Remove(v + "/file") },
	"delete a folder":     func(_, v string) error { return os.Remove(v + "/dir") },
	"rename a file there": func(_, v string) error { return os.Rename(v+"/file", v+"/other") },
	"move a file out":     func(o, v string) error { return os.Rename(v+"/file", o+"/taken") },
	"move a file in":      func(o, v string) error { return os.Rename(o+"/mine", v+"/file") },
	"exchange two folders": func(o, v string) error {
		return unix.Renameat2(unix.AT_FDCWD, o, unix.AT_FDCWD, v, unix.RENAME_EXCHANGE)
	},
	"move the folder away":      func(_, v string) error { return os.Rename(v, v+"-gone") },
	"take a hard link":          func(o, v string) error { return os.Link(v+"/file", o+"/hard") },
	"write through a link":      func(o, v string) error { return through(o+"/soft", v+"/file", os.O_WRONLY) },
	"read a file":               func(_, v string) error { return opens(v+"/file", os.O_RDONLY) },
	"list a folder":             func(_, v string) error { _, err := os.ReadDir(v); return err },
	"read by way of the root":   func(_, v string) error { return opens("/proc/self/root"+v+"/file", os.O_RDONLY) },
	"read by way of the parent": func(_, v string) error { return opens(parent("root")+v+"/file", os.O_RDONLY) },
	"read the parent's secrets": func(string, string) error { return opens(parent("environ"), os.O_RDONLY) },
	"write the parent's memory": func(string, string) error { return opens(parent("mem"), os.O_RDWR) },
	"trace the parent":          func(string, string) error { return unix.PtraceAttach(os.Getppid()) },
	"start what it may not":     func(_, v string) error { return exec.Command(v + "/program").Run() },
	"mount over the folder":     func(o, v string) error { return unix.Mount(o, v, "", unix.MS_BIND, "") },
	"change the root":           func(o, _ string) error { return unix.Chroot(o) },
	"open what has no name":     func(_, v string) error { return opensTemp(v) },
	"take a name by its handle": func(o, v string) error { return opensHandle(o, v+"/file") },
}

// signalAttacks need a newer version of Landlock.
var signalAttacks = map[string]func(own, victim string) error{
	"kill the parent":            func(string, string) error { return syscall.Kill(os.Getppid(), syscall.Signal(0)) },
	"connect to a hidden socket": func(_, v string) error { return connects("unix", "@"+v) },
}

func opens(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0o600)
	if err == nil {
		err = f.Close()
	}
	return err
}

func through(link, target string, flag int) error {
	if err := os.Symlink(target, link); err != nil {
		return fmt.Errorf("the link itself: %v", err)
	}
	return opens(link, flag)
}

func parent(file string) string { return "/proc/" + strconv.Itoa(os.Getppid()) + "/" + file }

func opensTemp(dir string) error {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR, 0o600)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

func opensHandle(mount, path string) error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return err
	}
	dir, err := unix.Open(mount, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDONLY)
	return err
}

func connects(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err == nil {
		err = c.Close()
	}
	return err
}

func init() {
	fakes["attack"] = func(args []string) {
		attack := attacks[args[0]]
		if attack == nil {
			attack = signalAttacks[args[0]]
		}
		err := attack(args[1], args[2])
		var errno syscall.Errno
		switch {
		case err == nil:
			fmt.Print("done")
		case errors.As(err, &errno):
			fmt.Print(unix.ErrnoName(errno))
		default:
			fmt.Print(err)
		}
	}
	fakes["sockets"] = func([]string) {
		for _, domain := range []int{unix.AF_UNIX, unix.AF_NETLINK, unix.AF_INET, unix.AF_INET6, unix.AF_PACKET, unix.AF_VSOCK} {
			_, err := unix.Socket(domain, unix.SOCK_DGRAM, 0)
			fmt.Printf("%d:%v ", domain, err != nil)
		}
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		fmt.Printf("mptcp:%v ", err != nil)
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		fmt.Printf("uring:%v", errno == unix.ENOSYS)
	}
	fakes["status"] = func([]string) {
		data := must(os.ReadFile("/proc/self/status"))
		for line := range strings.Lines(string(data)) {
			key, value, _ := strings.Cut(line, ":")
			if slices.Contains([]string{"CapPrm", "CapEff", "CapInh", "CapAmb", "NoNewPrivs"}, key) {
				fmt.Printf("%s:%s ", key, strings.TrimSpace(value))
			}
		}
	}
	fakes["confine"] = func(args []string) { // runs a command that stays, in a sandbox
		s := Sandbox{ABI: Landlock(), Read: []string{"/usr", "/lib", "/lib64", "/proc", filepath.Dir(os.Args[0])}}
		s.Fixed = args[1:]
		c := Cmd{Argv: fake("stay", args...), Wrap: s.Wrap(), Env: []string{"PATH=/usr/bin"}, RunID: args[0]}
		must(Run(context.Background(), c))
	}
	fakes["stay"] = func([]string) { time.Sleep(stay) }
	fakes["chain"] = func(args []string) { // starts what it is given, and says how that went
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		fmt.Print(" ", cmd.Run())
	}
}

// battlefield is a folder of one's own and one of somebody else's.
func battlefield(t *testing.T) (own, victim string) {
	t.Helper()
	own, victim = realTemp(t), realTemp(t)
	for path, mode := range map[string]os.FileMode{own + "/mine": 0o600, victim + "/file": 0o600, victim + "/program": 0o755} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(victim+"/dir", 0o700); err != nil {
		t.Fatal(err)
	}
	return own, victim
}

// listen is a socket that only the name leads to.
func listen(t *testing.T, name string) {
	t.Helper()
	l, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
}

func TestNothingOutsideOfASandboxIsReached(t *testing.T) {
	s := confined(t)
	all := map[string]bool{}
	for name := range attacks {
		all[name] = true
	}
	for name := range signalAttacks {
		all[name] = s.ABI >= SignalsABI
	}
	for name, holds := range all {
		t.Run(name, func(t *testing.T) {
			if !holds {
				t.Skipf("version %d of Landlock does not keep this from happening", s.ABI)
			}
			own, victim := battlefield(t)
			listen(t, victim)
			before := listing(t, victim)
			res := mustRun(t, Cmd{Argv: fake("attack", name, own, victim), Wrap: s.Writing(own).Wrap(), Dir: own, Keep: 4096, Wall: time.Minute})
			denied := []string{"EACCES", "EPERM", "EXDEV"}
			if got := string(res.Stdout.Head); !slices.Contains(denied, got) {
				t.Errorf("it ended with %q; want one of %v\n%s", got, denied, res.Stderr.Head)
			}
			if diff := cmp.Diff(before, listing(t, victim)); diff != "" {
				t.Errorf("the folder changed (-before +after):\n%s", diff)
			}
		})
	}
}

// Without a sandbox most attacks work: the test above would else prove nothing.
func TestTheSameAttacksWorkWithoutASandbox(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"write a file", "truncate a file", "delete a file", "move a file out", "take a hard link", "read a file", "list a folder", "write through a link", "start what it may not", "kill the parent", "connect to a hidden socket", "open what has no name"} {
		own, victim := battlefield(t)
		listen(t, victim)
		res := mustRun(t, Cmd{Argv: fake("attack", name, own, victim), Dir: own, Keep: 4096, Wall: time.Minute})
		if got := string(res.Stdout.Head); got != "done" {
			t.Errorf("%s ended with %q; want done", name, got)
		}
	}
}

// listing is all that stands in a folder, with contents.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		all[e.Name()] = e.Type().String() + " " + string(data)
	}
	return all
}

// Where one works in the folder that also holds what steers looprun, mounts keep
// it apart.
func TestWhatIsFixedOrHiddenStaysInsideOfAWritableFolder(t *testing.T) {
	s := confined(t)
	if !OwnMounts() {
		t.Skip("this system gives no mounts of one's own")
	}
	tests := map[string]struct {
		script string
		works  bool
	}{
		"a new file beside them":  {"echo x >new && mv new newer && rm newer", true},
		"reading what is fixed":   {"cat fixed/file", true},
		"writing what is fixed":   {"echo x >fixed/file", false},
		"adding to what is fixed": {"echo x >fixed/new", false},
		"moving what is fixed":    {"mv fixed away", false},
		"removing what is fixed":  {"rm -rf fixed", false},
		"replacing what is fixed": {"mkdir d && mv -T d fixed", false},
		"a fixed file":            {"echo x >steers", false},
		"moving another over it":  {"echo x >new; mv new steers", false},
		"reading what is hidden":  {"cat hidden/file", false},
		"writing what is hidden":  {"echo x >hidden/file", false},
		"removing what is hidden": {"rm -rf hidden", false},
		"taking a mount off":      {"umount hidden", false},
		"making one writable":     {"mount -o remount,rw fixed", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			own := realTemp(t)
			for _, dir := range []string{"fixed", "hidden"} {
				if err := os.Mkdir(filepath.Join(own, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range []string{"fixed/file", "hidden/file", "steers"} {
				if err := os.WriteFile(filepath.Join(own, file), []byte("as it was"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			in := s.Writing(own)
			in.Fixed, in.Hidden = []string{own + "/fixed", own + "/steers"}, []string{own + "/hidden"}
			c := shell(tt.script)
			c.Dir, c.Wrap, c.RunID = own, in.Wrap(), unique(t)
			if res := mustRun(t, c); (res.ExitCode == 0) != tt.works || res.NotFound {
				t.Errorf("exit %d; want it to work: %v\n%s", res.ExitCode, tt.works, res.Stderr.Head)
			}
			for _, file := range []string{"fixed/file", "hidden/file", "steers"} {
				if data, err := os.ReadFile(filepath.Join(own, file)); string(data) != "as it was" {
					t.Errorf("%s is %q, %v afterwards", file, data, err)
				}
			}
		})
	}
}

func TestASandboxLeavesOrdinaryWorkAlone(t *testing.T) {
	s := confined(t)
	own := realTemp(t)
	tests := map[string]string{
		"files in one's own folder":             "mkdir -p a b && echo x >a/f && mv a/f b/g && ln b/g a/h && ln -s h a/l && cat a/l && chmod +x a/h && rm -r a",
		"renames from one folder to another":    "mkdir -p c d && echo x >c/f && mv c/f d/f && mv d c/d && cat c/d/f",
		"null, zero and random numbers":         "echo x >/dev/null && head -c 9 /dev/zero >/dev/null && head -c 9 /dev/urandom >/dev/null",
		"stdout and stderr by their names":      "echo x >/dev/stdout && echo y >/dev/stderr",
		"signals to one's own processes":        "sleep 60 & kill $! && ! wait $!",
		"a program of one's own":                "printf '#!/bin/sh\\necho mine\\n' >p && chmod +x p && ./p",
		"a pipe with a name":                    "mkfifo q && (echo x >q &) && cat q",
		"shared memory":                         "echo x >/dev/shm/looprun-$$ && rm /dev/shm/looprun-$$",
		"what the processes of the machine are": "test -r /proc/self/status && ls /proc/1 >/dev/null",
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			c := shell("set -e; " + script)
			c.Dir, c.Wrap = own, s.Writing(own).Wrap()
			if res := mustRun(t, c); res.ExitCode != 0 {
				t.Errorf("exit %d: %s%s", res.ExitCode, res.Stdout.Head, res.Stderr.Head)
			}
		})
	}
}

func TestASandboxedCommandHasNoPrivileges(t *testing.T) {
	s := confined(t)
	if OwnMounts() { // for which it has some on the way
		s.Fixed = []string{"/etc"}
	}
	res := mustRun(t, Cmd{Argv: fake("status"), Wrap: s.Wrap(), Keep: 4096})
	const none = "0000000000000000"
	want := "CapInh:" + none + " CapPrm:" + none + " CapEff:" + none + " CapAmb:" + none + " NoNewPrivs:1 "
	if got := string(res.Stdout.Head); got != want {
		t.Errorf("in the sandbox: %s; want %s\n%s", got, want, res.Stderr.Head)
	}
}

func TestASandboxedCommandInheritsNoDescriptor(t *testing.T) {
	c := shell("ls /proc/self/fd") // which needs one itself
	c.Wrap = confined(t).Wrap()
	if got, want := string(mustRun(t, c).Stdout.Head), "0\n1\n2\n3\n"; got != want {
		t.Errorf("descriptors %q; want %q", got, want)
	}
}

func TestASandboxHoldsForDescendants(t *testing.T) {
	s := confined(t)
	own, victim := battlefield(t)
	argv := append(append(fake("chain"), fake("chain")...), fake("attack", "write a file", own, victim)...)
	res := mustRun(t, Cmd{Argv: argv, Wrap: s.Writing(own).Wrap(), Dir: own, Keep: 4096})
	if got, want := string(res.Stdout.Head), "EACCES <nil> <nil>"; got != want {
		t.Errorf("it ended with %q; want %q", got, want)
	}
}

// Giving up privileges on the way must not cut what ties the command to looprun.
func TestAConfinedCommandDiesWithLooprun(t *testing.T) {
	confined(t)
	kinds := map[string][]string{"without mounts of its own": nil}
	if OwnMounts() {
		kinds["with mounts of its own"] = []string{"/etc"}
	}
	for name, fixed := range kinds {
		t.Run(name, func(t *testing.T) {
			token := unique(t)
			argv := fake("confine", append([]string{token}, fixed...)...)
			cmd := exec.Command(argv[0], argv[1:]...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "the command", func() bool { return len(commanded("fake:stay", token)) == 1 })
			cmd.Process.Kill()
			cmd.Wait()
			await(t, "its end", func() bool { return len(running(token)) == 0 })
		})
	}
}

// commanded are those of the running processes that play a fake.
func commanded(fake, token string) (pids []int) {
	for _, pid := range running(token) {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if strings.Contains(string(line), fake) && !strings.Contains(string(line), sandboxVerb) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestASandboxWithoutNetworkHasNoSocketsButTheMachinesOwn(t *testing.T) {
	s := confined(t)
	if s.ABI < NetworkABI || !ClosesNetwork() {
		t.Skipf("version %d of Landlock cannot close the network", s.ABI)
	}
	s.NoNetwork = true
	res := mustRun(t, Cmd{Argv: fake("sockets"), Wrap: s.Wrap(), Keep: 4096})
	want := fmt.Sprintf("%d:false %d:false %d:true %d:true %d:true %d:true mptcp:true uring:true",
		unix.AF_UNIX, unix.AF_NETLINK, unix.AF_INET, unix.AF_INET6, unix.AF_PACKET, unix.AF_VSOCK)
	if got := string(res.Stdout.Head); got != want {
		t.Errorf("sockets: %s; want %s\n%s", got, want, res.Stderr.Head)
	}
}

func TestAStartThatTheSandboxRefusesIsNoCrash(t *testing.T) {
	s := confined(t)
	own, victim := battlefield(t)
	script := own + "/script"
	if err := os.WriteFile(script, []byte("#!"+victim+"/program\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		argv []string
		wrap []string
		code int
		says string
	}{
		"a program out of reach":          {[]string{victim + "/program"}, s.Wrap(), 126, "looprun: sandbox: start "},
		"an interpreter out of reach":     {[]string{script}, s.Writing(own).Wrap(), 126, "looprun: sandbox: start "},
		"a version that the kernel lacks": {fake("status"), Sandbox{ABI: BestABI + 1}.Wrap(), 126, "looprun: sandbox: version 8 of landlock"},
		"a folder that became a link":     {fake("status"), s.Writing(linkTo(t, victim)).Wrap(), 126, "looprun: sandbox: allow "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := mustRun(t, Cmd{Argv: tt.argv, Wrap: tt.wrap, Dir: own, Keep: 4096})
			if !res.NotFound || res.ExitCode != tt.code || !strings.HasPrefix(string(res.Stderr.Head), tt.says) {
				t.Errorf("NotFound %v, exit %d, %q; want true, %d, %q...", res.NotFound, res.ExitCode, res.Stderr.Head, tt.code, tt.says)
			}
		})
	}
}

func linkTo(t *testing.T, dir string) string {
	t.Helper()
	link := filepath.Join(realTemp(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// What a command says of itself is no word of the launcher's.
func TestACommandThatExits126IsNoRefusal(t *testing.T) {
	s := confined(t)
	c := shell("echo cannot >&2; exit 126")
	c.Wrap = s.Wrap()
	if res := mustRun(t, c); res.NotFound || res.ExitCode != 126 {
		t.Errorf("NotFound %v, exit %d; want false, 126", res.NotFound, res.ExitCode)
	}
}

func TestAZeroSandboxConfinesNothing(t *testing.T) {
	t.Parallel()
	if got := (Sandbox{Read: []string{"/a"}}).Writing("/b").Wrap(); got != nil {
		t.Errorf("Wrap = %q; want nil", got)
	}
}

func TestASandboxSurvivesItsWayThroughTheArguments(t *testing.T) {
	t.Parallel()
	want := Sandbox{ABI: 7, Read: []string{"/a b", "/c=d", "/--"}, Write: []string{"/\xff\n"}, Fixed: []string{"/f"}, Hidden: []string{"/h"}, NoNetwork: true}
	argv := append(want.Wrap()[2:], "/bin/x", "--", "read=/y")
	got, command, err := parseSandbox(argv)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseSandbox (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/bin/x", "--", "read=/y"}, command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

func FuzzParseSandbox(f *testing.F) {
	f.Add("landlock=7\x00read=/a\x00--\x00/bin/true")
	f.Add("--\x00network=none")
	f.Fuzz(func(t *testing.T, words string) {
		s, argv, err := parseSandbox(strings.Split(words, "\x00"))
		if err == nil && (s.ABI <= 0 || len(argv) == 0) {
			t.Errorf("parseSandbox = %+v, %q without an error", s, argv)
		}
	})
}
