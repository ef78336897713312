//go:build !linux

package fsx

// Full tells whether nothing more can be written under path: there is next to
// no room for bytes. An error is no.
func Full(path string) bool {
	free, err := Free(path)
	return err == nil && free < 64<<10
}
