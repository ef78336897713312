package child

import "os"

// widen does nothing: the kernel sizes its pipes by itself.
func widen(*os.File) {}
