// Package schema holds the JSON schemas (draft 2020-12) of the files that
// looprun reads and writes: for editors, for other programs, and for the tests
// that hold the records against them. Task and loop.yaml are strict; records
// may carry more members than are named, since fields are only ever added.
//
// A schema says what has the right form. It is not what decides: the readers
// of task files and of loop.yaml find more, and say where.
package schema

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names lists the schemas, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // never: the folder is part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return names
}

// Get is the schema of that name, as it is printed.
func Get(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("unknown schema %q: there is %s", name, strings.Join(Names(), ", "))
	}
	return data, nil
}
