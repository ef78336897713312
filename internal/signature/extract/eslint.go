package extract

import (
	"encoding/json"
	"strings"
)

// eslint reads its formatter stylish: a file, its messages, at the end the
// number of problems.
var eslint = tool{
	name:  "eslint",
	marks: []string{"✖ 9 problem", "✕ 9 problem", "9:9 "},
	read:  readEslint,
}

var eslintTotal = pattern(`^[✖✕×] \d+ problems? \((\d+) errors?, \d+ warnings?\)$`)

func readEslint(p *page, f *found) {
	for _, lines := range p.streams {
		readStylish(lines, f)
	}
}

// readStylish takes the errors; warnings count only if there is no error, as
// then their number made the command fail.
func readStylish(lines []string, f *found) {
	errors, warnings := &found{masks: f.masks}, &found{masks: f.masks}
	file, total := "", false
	for _, line := range lines {
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			file = line
			total = total || eslintTotal().MatchString(line)
			continue
		}
		severity, message, rule := eslintMessage(line)
		switch severity {
		case "error", "✖":
			errors.fail(file, eslintRule(rule), strings.TrimSuffix(message, "."))
		case "warning", "⚠":
			warnings.fail(file, eslintRule(rule), strings.TrimSuffix(message, "."))
		}
	}
	if total {
		f.addLint(errors, warnings)
	}
}

// eslintMessage reads "  2:9  error  message  rule"; two blanks or more part
// the columns.
func eslintMessage(line string) (severity, message, rule string) {
	text := strings.TrimLeft(line, " \t")
	n := countDigits(text)
	if n == 0 || n == len(text) || text[n] != ':' {
		return "", "", ""
	}
	text = text[n+1:]
	severity, message, _ = strings.Cut(strings.TrimLeft(text[countDigits(text):], " "), " ")
	message = strings.TrimSpace(message)
	if at := strings.LastIndex(message, "  "); at > 0 && !strings.Contains(message[at+2:], " ") {
		return severity, strings.TrimSpace(message[:at]), message[at+2:]
	}
	return severity, message, ""
}

func eslintRule(rule string) string {
	if rule == "" {
		return "parse"
	}
	return rule
}

// addLint adds what a linter found: the errors or, without any, the warnings.
func (f *found) addLint(errors, warnings *found) {
	if errors.none() {
		errors = warnings
	}
	errors.counted()
	f.add(errors)
}

// readEslintJSON reads the formatter json, also that of the many tools that
// copied it.
func readEslintJSON(doc []byte, f *found) bool {
	var files []struct {
		FilePath *string `json:"filePath"`
		Messages []struct {
			RuleID   *string `json:"ruleId"`
			Severity int     `json:"severity"`
			Fatal    bool    `json:"fatal"`
			Message  string  `json:"message"`
		} `json:"messages"`
	}
	if json.Unmarshal(doc, &files) != nil || len(files) == 0 || files[0].FilePath == nil {
		return false
	}
	errors, warnings := &found{masks: f.masks}, &found{masks: f.masks}
	for _, file := range files {
		for _, m := range file.Messages {
			into, rule := warnings, ""
			if m.Severity > 1 || m.Fatal {
				into = errors
			}
			if m.RuleID != nil {
				rule = *m.RuleID
			}
			path := ""
			if file.FilePath != nil {
				path = *file.FilePath
			}
			into.fail(path, eslintRule(rule), strings.TrimSuffix(m.Message, "."))
		}
	}
	f.addLint(errors, warnings)
	return true
}
