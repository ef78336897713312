package loop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"looprun.dev/looprun/internal/generator"
)

// systemFolders hold programs, what these need of the system, and nothing of
// the user. Some systems keep all programs elsewhere; names and certificates of
// the network stand in files that links of /etc lead to.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys",
	"/nix/store", "/gnu/store", "/snap", "/run/current-system", "/home/linuxbrew/.linuxbrew",
	"/etc/resolv.conf", "/etc/hosts", "/etc/localtime", "/etc/ssl/certs", "/etc/pki", "/run/systemd/resolve", "/var/lib/ca-certificates",
}

// rootSecrets are files of the system that only root can read.
var rootSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
	"/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt", "/etc/krb5.keytab",
	"/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_dsa_key",
}

// toolFolders are where version managers and package managers keep programs and
// libraries in the home of a user. The rest of the home is closed: keys, tokens,
// histories and mail stand there under names that nobody can list, while the
// places of tools are few and known. Folders that hold both, as .cargo and
// .local do, are opened in part.
var toolFolders = []string{
	"bin", "go", "sdk", "miniconda3", "anaconda3", "miniforge3", "micromamba", "mambaforge",
	".local/bin", ".local/lib", ".local/libexec", ".local/opt", ".local/pipx", ".local/share/pipx", ".local/share/uv",
	".local/share/mise", ".local/share/fnm", ".local/share/pnpm", ".local/share/claude", ".local/share/cursor-agent", ".local/share/swiftly",
	".asdf", ".bun", ".deno", ".dotnet", ".elan", ".fnm", ".gem", ".ghcup", ".goenv", ".jdks", ".jenv", ".juliaup", ".nodenv", ".nvm", ".nodebrew",
	".npm-global", ".npm-packages", ".nuget/packages", ".opam", ".opencode/bin", ".pixi", ".plenv", ".pyenv", ".rbenv", ".rustup", ".rvm", ".rye",
	".sdkman", ".swiftpm", ".volta", ".yarn", ".conda",
	".cargo/bin", ".cargo/env", ".cargo/config.toml", ".cargo/registry", ".cargo/git",
	".gradle/caches", ".gradle/jdks", ".gradle/wrapper", ".m2/repository", ".m2/wrapper", ".ivy2/cache", ".cabal/bin", ".cabal/packages", ".stack/programs",
}

// gitFiles are the user's settings of git. A git that may not read them does
// nothing at all. credentials, which stands beside them, is not among them.
var gitFiles = []string{".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"}

// everywhere lists what all processes may read: the system, and the tools in the
// user's home. What is installed while looprun runs is found by the next one.
func (s *sandbox) everywhere() []string {
	var paths []string
	for _, path := range systemFolders {
		paths = append(paths, s.open(path)...)
	}
	for _, name := range toolFolders {
		paths = append(paths, s.open(s.inHome(name))...)
	}
	return outermost(paths)
}

// readable lists what a process with this environment may read besides what is
// open to all: what the environment names, since that was passed to be used.
func (s *sandbox) readable(env map[string]string) []string {
	paths := slices.Clone(s.common())
	for name, value := range env {
		if slices.Contains([]string{"HOME", "PWD", "OLDPWD", "TMPDIR"}, name) {
			continue
		}
		for _, path := range filepath.SplitList(value) {
			paths = append(paths, s.open(path)...)
			if name == "PATH" {
				paths = append(paths, s.open(s.installation(path))...)
			}
		}
	}
	return paths
}

// gitSettings are those of the user's git.
func (s *sandbox) gitSettings() []string {
	var paths []string
	for _, name := range gitFiles {
		paths = append(paths, s.open(s.inHome(name))...)
	}
	return paths
}

// program lists what belongs to a command: its folder, and the package or the
// installation that this is a part of. home is the folder from which a command
// with a slash is taken.
func (s *sandbox) program(argv []string, path, home string) []string {
	file := programFile(argv, path, home)
	if file == "" {
		return nil
	}
	dir := filepath.Dir(file)
	paths := append(s.open(file), s.open(dir)...)
	if at, _, ok := strings.Cut(file, "/node_modules/"); ok {
		paths = append(paths, s.open(at+"/node_modules")...)
	}
	return append(paths, s.open(s.installation(dir))...)
}

// programFile is where a command stands in the end, "" where it is not found.
func programFile(argv []string, path, home string) string {
	if len(argv) == 0 {
		return ""
	}
	if name := generator.Resolve(argv, home)[0]; strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			return "" // in the tree, which is open
		}
		return followed(name)
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, argv[0])
		if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && !info.IsDir() {
			return followed(file)
		}
	}
	return ""
}

// installation is what a folder of programs is the bin of, as the place of
// their libraries; "" where that is no place of its own.
func (s *sandbox) installation(dir string) string {
	dir = followed(dir)
	if !slices.Contains([]string{"bin", "sbin", "shims"}, filepath.Base(dir)) {
		return ""
	}
	prefix := filepath.Dir(dir)
	if prefix == "/" || slices.Contains([]string{s.home, s.inHome(".local"), s.inHome(".cargo")}, prefix) {
		return ""
	}
	return prefix
}

// open is a path without links, or where that would open something private,
// what else is in the folder. Nothing that is named for being passed over, with
// a dot, is opened then: that is where secrets of a project stand.
func (s *sandbox) open(path string) []string {
	if !filepath.IsAbs(path) {
		return nil
	}
	path = followed(path)
	switch {
	case path == "" || path == "/" || path == s.home || s.closed(path):
		return nil
	case !s.holdsClosed(path):
		return []string{path}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, s.open(filepath.Join(path, e.Name()))...)
		}
	}
	return paths
}

// closed reports a path in something private.
func (s *sandbox) closed(path string) bool {
	return slices.ContainsFunc(s.private, func(p string) bool { return within(p, path) })
}

// holdsClosed reports a folder with something private below it, or with the
// user's home.
func (s *sandbox) holdsClosed(path string) bool {
	return s.home != "" && within(path, s.home) || slices.ContainsFunc(s.private, func(p string) bool { return within(path, p) })
}

// inHome is a path in the user's home, "" without one.
func (s *sandbox) inHome(name string) string {
	if s.home == "" {
		return ""
	}
	return filepath.Join(s.home, name)
}

// within reports that path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// followed is an absolute path without links, "" where there is nothing.
func followed(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return path
}

// outermost sorts paths and drops those that lie in another one.
func outermost(paths []string) []string {
	slices.SortFunc(paths, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	var kept []string
	for _, path := range paths {
		if path != "" && (len(kept) == 0 || !within(kept[len(kept)-1], path)) {
			kept = append(kept, path)
		}
	}
	return kept
}
