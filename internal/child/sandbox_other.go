//go:build !linux

package child

// self is not used where there is no sandbox.
const self = ""

// Landlock is the version that a Sandbox can have here, 0 where the system has
// none.
func Landlock() int { return 0 }

// OwnMounts reports whether Fixed and Hidden hold here.
func OwnMounts() bool { return false }

// ClosesNetwork reports whether NoNetwork can hold on this kind of machine.
func ClosesNetwork() bool { return false }
