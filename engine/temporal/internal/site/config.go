// Package site is a worker's side of a task: the activities, each of which is
// one step of the file host, and the way of candidates between repositories.
//
// It must never decide anything about a task, and never move a ref but with the
// value that it is expected to have.
package site

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"looprun.dev/looprun/engine/temporal/internal/flow"
	"looprun.dev/looprun/internal/config"
)

// An Engine is the section engine.temporal of loop.yaml.
type Engine struct {
	Address   string         // host:port of the cluster's frontend
	Namespace string         // of the cluster
	Name      string         // of the repository, the same on every machine
	Remote    string         // of the repository, through which candidates go; "": every worker shares this repository
	Heartbeat time.Duration  // after which a silent worker counts as dead
	Models    map[string]int // how many generators at once a worker runs of a model
	History   int            // events after which a workflow is continued as new; 0: as the server suggests
	TLS       bool           // the certificate and key are named by TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY
}

// ReadEngine reads the section of a loop.yaml. It names every fault at once.
func ReadEngine(c config.Config) (Engine, error) {
	e := Engine{
		Address: "127.0.0.1:7233", Namespace: "default", Name: filepath.Base(c.Dir), Heartbeat: time.Minute,
		Models: map[string]int{},
	}
	section, ok := c.Engine["temporal"].(map[string]any)
	if !ok && c.Engine["temporal"] != nil {
		return e, fmt.Errorf("engine.temporal: it is no map")
	}
	var faults []string
	for _, key := range sorted(section) {
		if err := e.set(key, section[key]); err != nil {
			faults = append(faults, fmt.Sprintf("engine.temporal.%s: %v", key, err))
		}
	}
	if strings.Trim(e.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" || e.Name == "" {
		faults = append(faults, fmt.Sprintf("engine.temporal.name: %q: use letters, digits, dots, dashes and underscores", e.Name))
	}
	if len(faults) > 0 {
		return e, fmt.Errorf("loop.yaml: %s", strings.Join(faults, "; "))
	}
	return e, nil
}

func sorted(m map[string]any) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (e *Engine) set(key string, value any) error {
	if key == "models" {
		return e.setModels(value)
	}
	if value == nil { // null is the default
		return nil
	}
	text, ok := value.(string)
	if !ok || text == "" {
		return fmt.Errorf("a text is wanted")
	}
	var err error
	switch key {
	case "address":
		e.Address = text
	case "namespace":
		e.Namespace = text
	case "name":
		e.Name = text
	case "remote":
		e.Remote = text
	case "heartbeat":
		if e.Heartbeat, err = time.ParseDuration(text); err == nil && e.Heartbeat < time.Second {
			err = fmt.Errorf("%s is below 1s", text)
		}
	case "history":
		if e.History, err = strconv.Atoi(text); err == nil && e.History < 100 {
			err = fmt.Errorf("%s is below 100", text)
		}
	case "tls":
		e.TLS, err = strconv.ParseBool(text)
	default:
		err = fmt.Errorf("unknown key: use address, namespace, name, remote, heartbeat, models, history or tls")
	}
	return err
}

func (e *Engine) setModels(value any) error {
	models, ok := value.(map[string]any)
	if !ok && value != nil {
		return fmt.Errorf("a map of models and numbers is wanted")
	}
	for _, name := range sorted(models) {
		text, _ := models[name].(string)
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("%s: a number of at least 1 is wanted", name)
		}
		e.Models[name] = n
	}
	return nil
}

// Setup is what a task that is started now goes by.
func (e Engine) Setup() flow.Setup {
	s := flow.Setup{Queue: flow.Queue(e.Name), Heartbeat: e.Heartbeat, Events: e.History}
	for name := range e.Models {
		s.Models = append(s.Models, name)
	}
	slices.Sort(s.Models)
	return s
}

// WorkflowID is that of a task: one run per id and repository.
func (e Engine) WorkflowID(id string) string { return e.Name + "/" + id }
