package extract

import (
	"strconv"
	"strings"
)

// A yamlBlock is the diagnostic block of a test point: the little YAML that
// producers of TAP write, read line by line.
type yamlBlock struct {
	values []yamlValue
	file   string
}

type yamlValue struct {
	key  string
	text []string
}

// unstable are keys whose values say when, where or how long, not what.
var unstable = setOf("duration_ms duration time time_ms location at stack stacktrace trace line column lineNumber " +
	"columnNumber file fileName filename source type failureType pid seed timestamp tapCaught hostname")

var yamlKey = pattern(`^('(?:[^']|'')*'|"[^"]*"|[\w. -]+?):(?: (.*)|)$`)

// read takes the lines from i on up to the end of the block and returns the
// line after it. The keys of the block stand at the indent of its first line.
func (y *yamlBlock) read(lines []string, i, depth int) int {
	keys := -1
	size := 0
	for ; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		in := indent(lines[i])
		if line == "..." && in <= depth {
			return i + 1
		}
		if line != "" && in < depth {
			return i // the block was never closed
		}
		if keys < 0 && line != "" {
			keys = in
		}
		if size += len(line); size > 16*maxDetail {
			continue
		}
		if m := yamlKey().FindStringSubmatch(line); m != nil && (in <= keys || y.inError(m[1])) {
			y.values = append(y.values, yamlValue{key: strings.Trim(m[1], `'"`)})
			line = strings.TrimSpace(m[2])
			if strings.HasPrefix(line, "|") || strings.HasPrefix(line, ">") {
				continue
			}
		}
		if n := len(y.values); n > 0 && line != "" {
			y.values[n-1].text = append(y.values[n-1].text, line)
		}
	}
	return i
}

// yamlEnd gives the line after a block that nobody wants to read.
func yamlEnd(lines []string, i, depth int) int {
	for ; i < len(lines); i++ {
		in := indent(lines[i])
		if in < depth && strings.TrimSpace(lines[i]) != "" {
			return i
		}
		if in == depth && strings.TrimSpace(lines[i]) == "..." {
			return i + 1
		}
	}
	return i
}

// inError: vitest puts the name and the message under the key error.
func (y *yamlBlock) inError(key string) bool {
	return (key == "name" || key == "message") && y.has("error") && y.get("error") == "" && !y.has(key)
}

func (y *yamlBlock) has(key string) bool { return y.index(key) >= 0 }

func (y *yamlBlock) index(key string) int {
	for i, v := range y.values {
		if v.key == key {
			return i
		}
	}
	return -1
}

func (y *yamlBlock) get(key string) string {
	if i := y.index(key); i >= 0 {
		return y.values[i].string()
	}
	return ""
}

// string joins the lines of a value and takes quotes off a single one.
func (v yamlValue) string() string {
	if len(v.text) != 1 {
		return reason(v.text)
	}
	s := v.text[0]
	if strings.HasPrefix(s, `"`) {
		if plain, err := strconv.Unquote(s); err == nil {
			return plain
		}
	}
	if len(s) > 1 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	return s
}

// failure gives the class, made of name, code and operator, and the rest of
// the block that is stable: the message first, then what was expected.
func (y *yamlBlock) failure() (class, detail string) {
	name, code, operator := y.get("name"), y.get("code"), y.get("operator")
	if name == "" {
		name = errorType(y.get("type"))
	}
	class = classOf(name, code, operator)
	var message, lines []string
	for _, v := range y.values {
		text := v.string()
		switch {
		case unstable[v.key] || v.key == "name" || v.key == "code" || v.key == "operator" || text == "" || text == "~":
		case v.key == "error" || v.key == "message":
			message = append(message, text)
		default:
			lines = append(lines, v.key+": "+text)
		}
	}
	return class, strings.Join(append(message, lines...), "\n")
}

// classOf joins the parts of an error's class that are there.
func classOf(name, code, operator string) string {
	class := name
	if class == "" {
		class = "fail"
	}
	for _, part := range []string{code, operator} {
		if part != "" && part != "ERR_TEST_FAILURE" {
			class += "/" + part
		}
	}
	return class
}

func errorType(kind string) string {
	if errorName().MatchString(kind) {
		return kind
	}
	return ""
}

// locate takes the file of a block from the keys that name one.
func (y *yamlBlock) locate() {
	for _, key := range []string{"location", "file", "fileName"} {
		if s := withoutPlaces(y.get(key)); s != "" {
			y.file = s
			return
		}
	}
}
