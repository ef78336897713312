package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Everything is what list is asked for.
type Everything struct {
	All bool `json:"all,omitempty" jsonschema:"every finished task, not only the last 20"`
}

// One names a task.
type One struct {
	ID string `json:"id" jsonschema:"the id of the task, or a beginning of it that no other task has"`
}

// Tasks is what list answers: each as looprun list --json prints it.
type Tasks struct {
	Tasks []map[string]any `json:"tasks"`
}

// Explanations is what explain answers: each line of looprun explain --json.
type Explanations struct {
	Explanations []map[string]any `json:"explanations"`
}

// addReaders offers what changes nothing.
func (d *desk) addReaders(s *mcp.Server) {
	look := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	mcp.AddTool(s, &mcp.Tool{
		Name: "list", Title: "List tasks", Annotations: look,
		Description: "The tasks by where they stand: inbox, processing, done, blocked, needs-input.",
	}, d.list)
	mcp.AddTool(s, &mcp.Tool{
		Name: "show", Title: "Show a task", Annotations: look,
		Description: "Where a task stands: its state and budgets, each round with its evidence and decision, and how it ended. Of a file that was put aside: why it is no task.",
	}, d.show)
	mcp.AddTool(s, &mcp.Tool{
		Name: "explain", Title: "Explain a task's decisions", Annotations: look,
		Description: "Why each round of a task ended as it did, what can be done, and why two rounds count as the same failure or not.",
	}, d.explain)
}

func (d *desk) list(ctx context.Context, _ *mcp.CallToolRequest, in Everything) (*mcp.CallToolResult, Tasks, error) {
	command := []string{"list"}
	if in.All {
		command = append(command, "--all")
	}
	out, _, err := d.call(ctx, nil, command)
	if err != nil {
		return nil, Tasks{}, err
	}
	all, err := objects(out)
	return nil, Tasks{all}, err
}

func (d *desk) show(ctx context.Context, _ *mcp.CallToolRequest, in One) (*mcp.CallToolResult, map[string]any, error) {
	return d.object(ctx, nil, []string{"show"}, in.ID)
}

func (d *desk) explain(ctx context.Context, _ *mcp.CallToolRequest, in One) (*mcp.CallToolResult, Explanations, error) {
	out, _, err := d.call(ctx, nil, []string{"explain"}, in.ID)
	if err != nil {
		return nil, Explanations{}, err
	}
	all, err := objects(out)
	return nil, Explanations{all}, err
}

// object is a command that prints one object. What it warned of goes along.
func (d *desk) object(ctx context.Context, stdin []byte, command []string, arguments ...string) (*mcp.CallToolResult, map[string]any, error) {
	out, warnings, err := d.call(ctx, stdin, command, arguments...)
	if err != nil {
		return nil, nil, err
	}
	all, err := objects(out)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("looprun %s printed %d objects, not one", command[0], len(all))
	}
	if err != nil {
		return nil, nil, err
	}
	if warnings != "" {
		all[0]["warnings"] = warnings
	}
	return nil, all[0], nil
}

// objects reads JSON objects, one after another.
func objects(out []byte) ([]map[string]any, error) {
	all := []map[string]any{}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var one map[string]any
		switch err := in.Decode(&one); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read what looprun printed: %w", err)
		case one == nil:
			return nil, fmt.Errorf("read what looprun printed: no object")
		}
		all = append(all, one)
	}
}
