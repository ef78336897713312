package cli

import "github.com/spf13/cobra"

// groups are how the list of commands is told: first what one begins with.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"begin", "Begin:", []string{"demo", "init", "doctor"}},
	{"work", "Work off tasks:", []string{"add", "run", "watch", "cron", "pause", "resume", "cancel", "answer", "retry"}},
	{"look", "Look, and change nothing:", []string{"status", "list", "plan", "show", "logs", "diff", "explain", "wait", "stats", "report", "serve", "replay"}},
	{"keep", "Settings and records:", []string{"validate", "config", "schema", "breaker", "export", "gc", "repair"}},
	{"other", "Other:", []string{"mcp", "temporal", "classify", "signature", "completion", "help", "version"}},
}

// arrange puts each command of root into its group.
func arrange(root *cobra.Command) {
	of := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			of[name] = g.id
		}
	}
	for _, cmd := range root.Commands() {
		cmd.GroupID = of[cmd.Name()]
	}
	root.SetHelpCommandGroupID(of["help"])
	root.SetCompletionCommandGroupID(of["completion"])
}
