//go:build !unix

package fsx

import "io/fs"

// Links is the number of names that the file of info has, 0 where it is not
// known.
func Links(fs.FileInfo) uint64 { return 0 }

// Inode is the file's number in its file system, 0 where there is none.
func Inode(fs.FileInfo) uint64 { return 0 }

func device(fs.FileInfo) uint64 { return 0 }
