package server

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Filing is a task as add takes it: the members of a task file that an agent
// has a use for.
type Filing struct {
	ID       string   `json:"id" jsonschema:"a new id: lower case letters, digits, dots, dashes and underscores"`
	Title    string   `json:"title,omitempty" jsonschema:"one line for people"`
	Goal     string   `json:"goal" jsonschema:"what is to be reached, in words, with all that the agent has to know"`
	Verify   []string `json:"verify,omitempty" jsonschema:"names of profiles in loop.yaml: their checks must pass"`
	Allow    []string `json:"allow,omitempty" jsonschema:"globs of the paths that may be changed; none is all that loop.yaml allows"`
	Protect  []string `json:"protect,omitempty" jsonschema:"globs of paths that must stay as they are"`
	After    []string `json:"after,omitempty" jsonschema:"ids of tasks that have to be done first"`
	Context  []string `json:"context,omitempty" jsonschema:"paths that the agent should read"`
	Priority int      `json:"priority,omitempty" jsonschema:"higher is taken first"`
}

// A Reply answers a task that asked.
type Reply struct {
	ID   string `json:"id" jsonschema:"the id of the task that asked"`
	Text string `json:"text" jsonschema:"the answer"`
}

// addWriters offers what files tasks. Nothing that is there is changed by it.
func (d *desk) addWriters(s *mcp.Server) {
	files := &mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)}
	mcp.AddTool(s, &mcp.Tool{
		Name: "add", Title: "File a task", Annotations: files,
		Description: "Check a task and put it into the inbox, where the next run or the watch takes it up. What is wrong with it is told, every fault at once.",
	}, d.add)
	mcp.AddTool(s, &mcp.Tool{
		Name: "answer", Title: "Answer a task", Annotations: files,
		Description: "Answer a task that needs input: a new task goes on with the history and the answer. Irreversible operations can't be approved here, that is for a person to do: looprun answer ID --approve.",
	}, d.answer)
}

func (d *desk) add(ctx context.Context, _ *mcp.CallToolRequest, in Filing) (*mcp.CallToolResult, map[string]any, error) {
	data, err := json.Marshal(in)
	if err != nil {
		return nil, nil, err
	}
	return d.file(ctx, data, []string{"add"}, "-")
}

func (d *desk) answer(ctx context.Context, _ *mcp.CallToolRequest, in Reply) (*mcp.CallToolResult, map[string]any, error) {
	return d.file(ctx, []byte(in.Text), []string{"answer", "--file", "-"}, in.ID)
}

func (d *desk) file(ctx context.Context, stdin []byte, command []string, argument string) (*mcp.CallToolResult, map[string]any, error) {
	d.filing.Lock()
	defer d.filing.Unlock()
	return d.object(ctx, stdin, command, argument)
}
