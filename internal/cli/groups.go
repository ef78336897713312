package cli

import "github.com/spf13/cobra"

// A group is a heading in the list of commands.
type group struct {
	id, title string
	commands  []string
}

// groups are how the list of commands is told: first what one begins with.
var groups = []group{
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

// of returns the commands of the group, in its order.
func (g group) of(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, name := range g.commands {
		for _, cmd := range root.Commands() {
			if cmd.Name() == name {
				all = append(all, cmd)
			}
		}
	}
	return all
}
