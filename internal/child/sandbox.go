package child

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// A Sandbox is all that a command and its descendants can reach. Files that it
// does not name can be neither read nor written, whatever their modes say. From
// version 6 of Landlock on, processes outside get no signal of them, and
// abstract sockets outside no connection. The zero value confines nothing.
type Sandbox struct {
	// ABI is the version of Landlock that holds, exactly: a kernel that cannot
	// do all of it runs nothing.
	ABI int
	// Read are files and folders with all below them that can be read and
	// started. What is missing is passed over.
	Read []string
	// Write can be read as well. No part of a path may be a link, so that a path
	// that was looked at once still leads to the same place when it is opened.
	Write []string
	// Fixed can't be written although it lies in Write, and Hidden can't be read
	// either: that is a matter of mounts, and holds where OwnMounts says so.
	Fixed, Hidden []string
	// NoNetwork leaves only sockets of the machine's own kind, without TCP, UDP
	// and loopback.
	NoNetwork bool
}

// The versions of Landlock that make a difference: with FilesABI every change
// of a file can be refused, with NetworkABI TCP, with SignalsABI signals.
// BestABI is the newest one that is made use of.
const (
	FilesABI   = 3
	NetworkABI = 4
	ioctlABI   = 5
	SignalsABI = 6
	BestABI    = 7
)

// sandboxVerb is the first argument by which this program knows that it is
// started as a launcher. What follows it is a Sandbox, "--", and the command.
const sandboxVerb = "__sandbox"

// The words of a Sandbox among the arguments.
const (
	abiWord     = "landlock="
	readWord    = "read="
	writeWord   = "write="
	fixedWord   = "fixed="
	hiddenWord  = "hidden="
	noNetwork   = "network=none"
	commandMark = "--"
	noCommand   = "--" // in place of one, by who only asks whether the sandbox holds
)

// Writing is s with more that can be written.
func (s Sandbox) Writing(paths ...string) Sandbox {
	s.Write = append(slices.Clip(s.Write), paths...)
	return s
}

// Wrap is the launcher that confines a command, for Cmd.Wrap. It is this
// program itself, as the kernel has it: whoever replaces the file of it
// changes nothing.
func (s Sandbox) Wrap() []string {
	if s.ABI == 0 {
		return nil
	}
	words := []string{self, sandboxVerb, abiWord + strconv.Itoa(s.ABI)}
	if s.NoNetwork {
		words = append(words, noNetwork)
	}
	for _, list := range []struct {
		word  string
		paths []string
	}{{readWord, s.Read}, {writeWord, s.Write}, {fixedWord, s.Fixed}, {hiddenWord, s.Hidden}} {
		for _, path := range list.paths {
			words = append(words, list.word+path)
		}
	}
	return append(words, commandMark)
}

// wantsMounts reports a launcher that changes mounts, for which its process
// needs namespaces of its own.
func wantsMounts(wrap []string) bool {
	return len(wrap) > 1 && wrap[1] == sandboxVerb && slices.ContainsFunc(wrap, func(word string) bool {
		return strings.HasPrefix(word, fixedWord) || strings.HasPrefix(word, hiddenWord)
	})
}

// refusal begins what a launcher says of a command that it could not start.
const refusal = "looprun: sandbox: "

// refused reports a launcher that started nothing. A command can play one; it
// then is taken for a command that could not be started.
func refused(res Result) bool {
	return res.Ended == Exit && (res.ExitCode == codeNotFound || res.ExitCode == codeNotExecutable) &&
		res.Stdout.Total == 0 && bytes.HasPrefix(res.Stderr.Head, []byte(refusal))
}
