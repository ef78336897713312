// Command promises runs the fault campaigns that stand behind the promises of
// looprun, prints their figures, and with -write puts them into the page
// docs/promises.md. It ends with 1 if one of them failed.
//
//	go run ./acceptance/promises              every place once, a few minutes
//	go run ./acceptance/promises -long -write every fault at every place
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	long := flag.Bool("long", false, "every fault at every place, not every place once")
	write := flag.Bool("write", false, "write docs/promises.md")
	flag.Parse()
	if err := run(*long, *write); err != nil {
		fmt.Fprintln(os.Stderr, "promises:", err)
		os.Exit(1)
	}
}

func run(long, write bool) error {
	all := results{long: long, figures: map[string]int{}}
	for _, c := range campaigns {
		fmt.Printf("== %s\n", c.what)
		if err := c.run(&all); err != nil {
			return err
		}
	}
	text, err := all.table()
	if err != nil {
		return err
	}
	fmt.Print("\n", text)
	for _, s := range all.skipped {
		fmt.Println("not run here:", s)
	}
	if all.failed > 0 {
		return fmt.Errorf("%d tests failed", all.failed)
	}
	if !write {
		return nil
	}
	return os.WriteFile(filepath.FromSlash("docs/promises.md"), []byte(page(text)), 0o644)
}
