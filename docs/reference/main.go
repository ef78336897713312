// Command reference writes docs/commands.md from the commands themselves, or,
// with -man, looprun's man pages:
//
//	go run ./docs/reference
//	go run ./docs/reference -man DIR
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"looprun.dev/looprun/internal/cli"
)

func main() {
	man := flag.String("man", "", "write man pages into `DIR`, which is made: those of commands into man1, those of topics into man7")
	flag.Parse()
	if err := write(*man); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(man string) error {
	if man == "" {
		return os.WriteFile(filepath.Join("docs", "commands.md"), cli.Reference(), 0o644)
	}
	for name, page := range cli.ManPages() {
		dir := filepath.Join(man, "man"+filepath.Ext(name)[1:])
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the folder of man pages: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
			return fmt.Errorf("write man page %q: %w", name, err)
		}
	}
	return nil
}
