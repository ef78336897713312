package workspace

import (
	"os"
	"strings"
	"sync"
)

// bootID changes with every start of the machine.
var bootID = sync.OnceValue(func() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
})
