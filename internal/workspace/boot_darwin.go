package workspace

import (
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID changes with every start of the machine.
var bootID = sync.OnceValue(func() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return "unknown"
	}
	return strconv.FormatInt(tv.Sec, 10)
})
