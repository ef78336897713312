package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/fsx"
)

// The shop of the demo.
const (
	demoPrices = "apple 3\npear 2\n"
	demoRules  = "A price is a number.\n"
)

// demoAgent does the tasks of the demo as an agent might: in round 1 not quite,
// and better from the evidence.
func (a *app) demoAgent() error {
	var request struct {
		Answer string `json:"answer"`
	}
	data, err := os.ReadFile(a.getenv("LOOPRUN_REQUEST"))
	if err == nil {
		err = json.Unmarshal(data, &request)
	}
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	at := fsx.Scratch(".")
	id, first := a.getenv("LOOPRUN_TASK_ID"), a.getenv("LOOPRUN_ROUND") == "1"
	switch {
	case id == "add-plum" && first:
		a.demoSays("Added plums. All tests pass.") // which nobody believes
		return at.WriteFile("prices.txt", []byte(demoPrices+"plum four\n"))
	case id == "add-plum":
		a.demoSays("The price must be a number: plum 4.")
		return at.WriteFile("prices.txt", []byte(demoPrices+"plum 4\n"))
	case strings.HasPrefix(id, "ask-currency") && request.Answer == "":
		a.demoSays("Nobody told me which currency.")
		return nil
	case strings.HasPrefix(id, "ask-currency"):
		a.demoSays("The currency is " + request.Answer + ".")
		word := strings.ReplaceAll(strings.TrimSpace(request.Answer), " ", "-")
		return at.WriteFile("prices.txt", []byte(strings.ReplaceAll(demoPrices, "\n", " "+word+"\n")))
	}
	a.demoSays("The rules are in the way, so I changed them.")
	return errors.Join(at.WriteFile("rules.txt", []byte("A price is a number, or a word.\n")),
		at.WriteFile("prices.txt", []byte(demoPrices+"cherry five\n")))
}

func (a *app) demoSays(text string) { fmt.Fprintln(a.stdout, text) }

// demoCheck judges the prices of the tree that it runs in.
func (a *app) demoCheck(name string) error {
	data, err := os.ReadFile("prices.txt")
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, line := range lines {
		if fault := demoFault(name, strings.Fields(line)); fault != "" {
			return fmt.Errorf("FAIL: prices.txt:%d: %s: %q", i+1, fault, line)
		}
	}
	if name != "prices" && name != "currency" && !strings.Contains(string(data), name+" ") {
		return fmt.Errorf("FAIL: prices.txt: no %s among %d lines: %q", name, len(lines), lines)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %d lines are right\n", name, len(lines))
	return err
}

// demoFault says what is wrong with a line, "" if nothing is.
func demoFault(check string, words []string) string {
	switch check {
	case "prices":
		if len(words) < 2 {
			return "no name and price"
		}
		if _, err := strconv.Atoi(words[1]); err != nil {
			return "the price is no number"
		}
	case "currency":
		if len(words) != 3 {
			return "no currency"
		}
	}
	return ""
}
