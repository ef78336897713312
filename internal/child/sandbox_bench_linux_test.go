package child

import "testing"

// BenchmarkSandbox measures what the launcher adds. Its figures are those of
// this test's binary, which is about as large as looprun.
func BenchmarkSandbox(b *testing.B) {
	if Landlock() < FilesABI {
		b.Skip("the kernel has no Landlock")
	}
	s := Sandbox{ABI: Landlock(), Read: []string{"/usr", "/bin", "/lib", "/lib64", "/etc", "/opt", "/proc", "/sys"}, Write: []string{b.TempDir()}}
	c := Cmd{Argv: []string{"/bin/true"}, Wrap: s.Wrap(), RunID: "bench"}
	compare(b, func() error {
		_, err := Run(b.Context(), c)
		return err
	})
}
