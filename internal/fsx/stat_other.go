//go:build !unix

package fsx

import "io/fs"

// Links is the number of names that the file of info has, 0 where it is not
// known.
func Links(fs.FileInfo) uint64 { return 0 }

// Inode is the file's number in its file system, 0 where there is none.
func Inode(fs.FileInfo) uint64 { return 0 }

// Mine tells whether the file belongs to the user that this process runs as.
// Here the place for temporary files is the user's own.
func Mine(fs.FileInfo) bool { return true }

func device(fs.FileInfo) uint64 { return 0 }
