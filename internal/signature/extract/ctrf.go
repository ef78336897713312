package extract

import (
	"encoding/json"
	"strings"
)

// readCTRF reads the Common Test Report Format.
func readCTRF(doc []byte, f *found) bool {
	var report struct {
		Results *struct {
			Tests []struct {
				Name     string          `json:"name"`
				Status   string          `json:"status"`
				Suite    json.RawMessage `json:"suite"`
				FilePath string          `json:"filePath"`
				Message  string          `json:"message"`
				Trace    string          `json:"trace"`
			} `json:"tests"`
		} `json:"results"`
	}
	if json.Unmarshal(doc, &report) != nil || report.Results == nil || report.Results.Tests == nil {
		return false
	}
	f.tally.known = true
	c := cleaner{}
	for _, t := range report.Results.Tests {
		id := place(append(append([]string{t.FilePath}, suiteNames(t.Suite)...), t.Name)...)
		switch t.Status {
		case "passed":
			f.test(id, true)
		case "failed":
			f.test(id, false)
			lines := strings.Split(c.text([]byte(t.Message)), "\n")
			trace := strings.Split(c.text([]byte(t.Trace)), "\n")
			x := junitFailure{element: "fail", message: strings.Join(lines, "\n")}
			x.text.WriteString(strings.Join(trace, "\n"))
			if class, detail := x.read(); detail == "" {
				f.failBare(id, class, "")
			} else {
				f.fail(id, class, detail)
			}
		default:
			f.tally.skip()
		}
	}
	return true
}

// suiteNames takes the suite as a text or as a list.
func suiteNames(raw json.RawMessage) []string {
	var one string
	var list []string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	return nil
}
