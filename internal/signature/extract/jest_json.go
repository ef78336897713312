package extract

import (
	"encoding/json"
	"strings"
)

// readJestJSON reads the JSON of jest and vitest.
func readJestJSON(doc []byte, f *found) bool {
	var run struct {
		TestResults []struct {
			Name             string
			Status           string
			Message          string
			AssertionResults []struct {
				AncestorTitles  []string
				Title           string
				Status          string
				FailureMessages []string
			}
		}
	}
	if json.Unmarshal(doc, &run) != nil || run.TestResults == nil {
		return false
	}
	f.tally.known = true
	c := cleaner{}
	for _, file := range run.TestResults {
		for _, t := range file.AssertionResults {
			id := place(append(append([]string{file.Name}, t.AncestorTitles...), t.Title)...)
			switch t.Status {
			case "passed":
				f.test(id, true)
			case "failed":
				f.test(id, false)
				failJest(id, t.FailureMessages, c, f)
			default:
				f.tally.skip()
			}
		}
		if len(file.AssertionResults) == 0 && file.Status == "failed" {
			failJest(place(file.Name, "Test suite failed to run"), []string{file.Message}, c, f)
		}
	}
	return true
}

// failJest reads the messages of one test; they carry colours.
func failJest(id string, messages []string, c cleaner, f *found) {
	for _, m := range messages {
		class, detail := jestMessage(strings.Split(c.text([]byte(m)), "\n"))
		if detail == "" {
			f.failBare(id, class, "")
			continue
		}
		f.fail(id, class, detail)
	}
	if len(messages) == 0 {
		f.failBare(id, "fail", "")
	}
}

// jestMessage reads "Error: expect(received).toBe(expected)" as the text of
// the reporter has it, without the name.
func jestMessage(lines []string) (class, detail string) {
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "● ") {
			continue
		}
		return jestReason(lines[i:])
	}
	return "fail", ""
}
