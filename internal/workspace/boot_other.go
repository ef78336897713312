//go:build !linux && !darwin

package workspace

// bootID is not known here, so a power cut cannot be told from a restart.
func bootID() string { return "unknown" }
