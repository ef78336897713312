package acceptance

import "looprun.dev/looprun/acceptance/faults"

// launchMain is "launch COMMAND...": the command under a supervisor.
func launchMain() { faults.Launch() }
