package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
	"looprun.dev/looprun/internal/task"
)

// maxDepth bounds the nesting of loop.yaml; the deepest setting is at 7.
const maxDepth = 32

// readYAML takes the only document of data. It refuses what would let a value
// mean something other than what is written: anchors, aliases, merge keys, tags
// and keys given twice. A node that was refused is of the kind refused, so that
// the rest of the file can still be looked at.
func readYAML(data []byte) (node, []task.Fault) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return node{plain: true}, nil
	} else if err != nil {
		return node{}, []task.Fault{syntaxFault(data, err)}
	}
	c := converter{lines: strings.Split(string(data), "\n")}
	top := c.node(doc.Content[0], "", 1)
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		line := max(second.Line, errorLine(data, err))
		c.add(line, 1, "", task.CodeTrailingData, "a second document: loop.yaml has only one")
	}
	return top, c.faults
}

var placeOfError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxFault gives the parser's error a place. Where a tab stands for
// indentation, the parser's own words would lead astray.
func syntaxFault(data []byte, err error) task.Fault {
	for i, line := range strings.Split(string(data), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && tab+1 < len(line) {
			return task.Fault{Line: i + 1, Col: tab + 1, Code: task.CodeControl, Msg: "a tab: YAML is indented with spaces"}
		}
	}
	msg := err.Error()
	if parts := placeOfError.FindStringSubmatch(msg); parts != nil {
		msg = parts[2]
	}
	return task.Fault{Line: errorLine(data, err), Col: 1, Code: task.CodeSyntax, Msg: "not YAML: " + msg}
}

// errorLine reads the line out of an error of the parser. Its two halves count
// differently: the scanner from 1, the grammar from 0; the first line is left
// out by both.
func errorLine(data []byte, err error) int {
	if err == nil {
		return 1
	}
	parts := placeOfError.FindStringSubmatch(err.Error())
	if parts == nil || parts[1] == "" {
		return 1
	}
	line, _ := strconv.Atoi(parts[1])
	if strings.HasPrefix(parts[2], "did not find expected") {
		line++
	}
	return min(line, 1+bytes.Count(bytes.TrimRight(data, "\r\n"), []byte("\n")))
}

// A converter turns the parser's nodes into ours.
type converter struct {
	lines  []string
	faults []task.Fault
}

func (c *converter) add(line, col int, path, code, format string, args ...any) {
	c.faults = append(c.faults, task.Fault{Line: line, Col: col, Field: path, Code: code, Msg: fmt.Sprintf(format, args...)})
}

func (c *converter) refuse(n *yaml.Node, path, code, format string, args ...any) node {
	c.add(n.Line, n.Column, path, code, format, args...)
	return node{kind: refused, place: place{n.Line, n.Column}}
}

func (c *converter) node(n *yaml.Node, path string, depth int) node {
	switch {
	case depth > maxDepth:
		return c.refuse(n, path, task.CodeTooDeep, "nested deeper than %d levels", maxDepth)
	case n.Kind == yaml.AliasNode:
		return c.refuse(n, path, task.CodeAlias, "an alias: write the value out")
	case n.Anchor != "":
		return c.refuse(n, path, task.CodeAlias, "an anchor: aliases are not followed here")
	case n.Style&yaml.TaggedStyle != 0 || c.source(n) == '!':
		return c.refuse(n, path, task.CodeTag, "a tag: write the value without it")
	}
	out := node{place: place{n.Line, n.Column}}
	switch n.Kind {
	case yaml.MappingNode:
		out.kind = mapping
		out.pairs = c.pairs(n, path, depth)
	case yaml.SequenceNode:
		out.kind = list
		for i, one := range n.Content {
			out.items = append(out.items, c.node(one, item(path, i), depth+1))
		}
	default:
		out.kind, out.text = scalar, n.Value
		out.plain = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	}
	return out
}

// source is the character where a node starts. It shows the tag "!", which the
// parser drops.
func (c *converter) source(n *yaml.Node) rune {
	if n.Line < 1 || n.Line > len(c.lines) {
		return 0
	}
	col := 1
	for _, char := range c.lines[n.Line-1] {
		if col == n.Column {
			return char
		}
		col++
	}
	return 0
}

func (c *converter) pairs(n *yaml.Node, path string, depth int) []pair {
	var out []pair
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		here := member(path, key.Value)
		switch before, twice := first[key.Value]; {
		case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
			c.add(key.Line, key.Column, path, task.CodeSyntax, "a key must be plain text")
		case key.Tag == "!!merge":
			c.add(key.Line, key.Column, path, task.CodeAlias, "a merge key: write the members out")
		case twice:
			c.add(key.Line, key.Column, here, task.CodeDuplicateKey, "key %q is given twice, first on line %d", task.Clip(key.Value), before)
		default:
			first[key.Value] = key.Line
			out = append(out, pair{key.Value, place{key.Line, key.Column}, c.node(value, here, depth+1)})
		}
	}
	return out
}
