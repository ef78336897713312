package generator

import (
	"bytes"
	"encoding/json"
)

// mergeSettings puts members over the user's settings. Settings of the user
// that are no JSON object stay as they are: the program has to make sense of
// them, and does without looprun's.
func mergeSettings(user []byte, members string) []byte {
	own := map[string]any{}
	if len(bytes.TrimSpace(user)) > 0 && json.Unmarshal(plainJSON(user), &own) != nil {
		return user
	}
	var over map[string]any
	if json.Unmarshal([]byte(members), &over) != nil {
		return user
	}
	data, err := json.MarshalIndent(merge(own, over), "", "  ")
	if err != nil {
		return user
	}
	return append(data, '\n')
}

func merge(own, over map[string]any) map[string]any {
	if own == nil {
		own = map[string]any{}
	}
	for name, v := range over {
		inner, ok := v.(map[string]any)
		if old, has := own[name].(map[string]any); ok && has {
			v = merge(old, inner)
		}
		own[name] = v
	}
	return own
}

// plainJSON takes out of data what settings files are allowed besides JSON:
// comments, and a comma behind the last member.
func plainJSON(data []byte) []byte {
	var out []byte
	for i := 0; i < len(data); {
		n := 1
		switch {
		case data[i] == '"':
			n = stringLength(data[i:])
			out = append(out, data[i:i+n]...)
		case bytes.HasPrefix(data[i:], []byte("//")):
			n = until(data[i:], "\n")
		case bytes.HasPrefix(data[i:], []byte("/*")):
			n = until(data[i:], "*/")
		case (data[i] == '}' || data[i] == ']') && bytes.HasSuffix(bytes.TrimSpace(out), []byte(",")):
			out = append(bytes.TrimSuffix(bytes.TrimSpace(out), []byte(",")), data[i])
		default:
			out = append(out, data[i])
		}
		i += n
	}
	return out
}

// stringLength is the length of the JSON string that data begins with.
func stringLength(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// until is the length of data up to and with the first mark.
func until(data []byte, mark string) int {
	if i := bytes.Index(data, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(data)
}
