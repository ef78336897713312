// Package verify owns what looprun sees for itself: whether a candidate stays
// in its boundary, what the checks say of it, and whether the checks can be
// trusted at all. Commands come from the profiles of loop.yaml and from nowhere
// else, and they run only after every process of the generator is gone.
//
// It must never take the generator's word for anything, decide what follows
// from its findings, or tell what a hidden check saw.
package verify

import "looprun.dev/looprun/internal/round"

// The codes of boundary errors. They are part of the failure signature, so
// none is ever renamed. All are hard, and no check runs on a candidate that has
// one; only CandidateEmpty is soft.
const (
	// PathNotAllowed: the path matches not both lists of allowed paths.
	PathNotAllowed = "path_not_allowed"
	// ProtectedPath: the path is protected, in whatever case or Unicode form
	// it is written. It may be added, deleted or changed in its mode only.
	ProtectedPath = "protected_path"
	// TooManyFiles: more paths differ from the base than the limit. No path.
	TooManyFiles = "too_many_files"
	// TooManyLines: more lines were added and deleted than the limit. No path.
	TooManyLines = "too_many_lines"
	// TooLarge: the file, or all changed files together, are over the limit of
	// bytes. The path is empty where no single file is.
	TooLarge = "too_large"
	// CaseCollision: two paths would be one file where names are compared
	// without case or Unicode form. The path is the added one.
	CaseCollision = "case_collision"
	// SubmoduleChanged: a commit of another repository was added, moved or
	// removed.
	SubmoduleChanged = "submodule_changed"
	// Secret: an added line holds what is certainly a credential.
	Secret = "secret"
	// Tampered: a record of the task's own, or a protected file of the tree that
	// its checks run in, was changed by one of its processes. No candidate has
	// it; whoever watches over both adds it.
	Tampered = "tampered"
	// CandidateEmpty: nothing changed and the checks fail. Whoever knows both
	// adds it; Boundary never does.
	CandidateEmpty = round.CandidateEmpty
)

// The codes that the scan of the tree gives to what can be no part of a
// candidate. Boundary passes them on, and any other that it is given.
const (
	NestedRepository = "nested_repository" // a .git, or an alias of that name, below the root
	LinkOutside      = "link_outside"      // a symbolic link that leaves the tree
	SpecialLink      = "special_link"      // a link in the place of a file that steers git
	TooMany          = "too_many"          // more new entries than a scan goes through
	HardLink         = "hard_link"         // a file that has another name somewhere
	FIFO             = "fifo"
	Socket           = "socket"
	Device           = "device"
	Setuid           = "setuid"
	BadName          = "bad_name" // control characters, or no file name on another system
)

// The classes that this package gives to failures, beside those that come from
// the output of test tools.
const (
	// NoTestsRan: exit code 0, and the tool itself says that no test ran.
	NoTestsRan = "no_tests_ran"
	// TestsVanished: a test that ran on the base did not run now, and the
	// candidate left its file alone.
	TestsVanished = "tests_vanished"
	// TimedOut: looprun ended the check at its limit.
	TimedOut = "timeout"
	// NoDirectory: the check's directory is missing, or leaves the tree.
	NoDirectory = "no_directory"
	// ToolMissing: the check's command cannot be run.
	ToolMissing = infraPrefix + "tool_missing"
	// HiddenMissing: the folder of a hidden check cannot be read.
	HiddenMissing = infraPrefix + "hidden_missing"

	// infraPrefix begins every class that is the environment's fault.
	infraPrefix = "infra:"
)
