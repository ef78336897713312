package generator

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequestRendersTheSameBytes(t *testing.T) {
	a := Request{TaskID: "t1", Round: 2, Goal: "a < b & c", Strategy: Strategy{Name: "replan", Mode: "repair"}, Plan: &Plan{Path: "plan-round-002.json", Content: json.RawMessage(`{"b":1,  "a":2}`)}}
	b := a
	b.Plan = &Plan{Path: a.Plan.Path, Content: json.RawMessage("{\n\"b\": 1, \"a\": 2 }")}
	b.Schema, b.Allow = "other", []string{}
	x, err := a.Render()
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Render()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("Render = %s; want %s", y, x)
	}
	want := `{
  "schema": "looprun.request/1",
  "task_id": "t1",
  "round": 2,
  "title": "",
  "goal": "a < b & c",
  "allow": [],
  "protect": [],
  "context": [],
  "model": "",
  "strategy": {
    "name": "replan",
    "mode": "repair",
    "why": ""
  },
  "plan": {
    "path": "plan-round-002.json",
    "content": {
      "b": 1,
      "a": 2
    }
  },
  "best_round": 0
}
`
	if diff := cmp.Diff(want, string(x)); diff != "" {
		t.Errorf("Render differs (-want +got):\n%s", diff)
	}
}

func TestRequestRefusesAPlanThatIsNoJSON(t *testing.T) {
	if _, err := (Request{Plan: &Plan{Content: json.RawMessage("{")}}).Render(); err == nil {
		t.Error("Render takes half a plan")
	}
}
