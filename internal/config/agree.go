package config

import (
	"slices"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// agree settles what one section means for another, and records where two
// exclude each other.
func (d *decoder) agree(c *Config) {
	d.landing(c)
	if !d.given("generator.command") && c.Generator.Adapter != "exec" {
		c.Generator.Command = nil
	}
	if c.Workspace.Mode == InPlace && c.Queue.Concurrency > 1 {
		d.add("queue.concurrency", task.CodeConflict, "must be 1 with workspace.mode in_place: there is one tree, is %d", c.Queue.Concurrency)
	}
	if c.Sandbox.Mode == "off" && c.Sandbox.Network == "none" {
		d.add("sandbox.network", task.CodeConflict, "none needs a sandbox that closes the network: sandbox.mode is off")
	}
	if len(c.Verification.Profiles) == 0 && !d.faulty("verification.profiles") {
		d.add("verification.profiles", task.CodeMissingKey, "missing: without a profile nothing can be verified")
	}
	if c.Stop.MinTryCost > c.Stop.Cost {
		d.add("stop.min_try_cost_usd", task.CodeConflict, "no try could ever start: %v is above stop.cost_usd (%v)", c.Stop.MinTryCost, c.Stop.Cost)
	}
	if c.Stop.MinTryCost > c.Stop.DailyCost {
		d.add("stop.min_try_cost_usd", task.CodeConflict, "no try could ever start: %v is above stop.daily_cost_usd (%v)", c.Stop.MinTryCost, c.Stop.DailyCost)
	}
}

// landing gives land.mode the value that fits the workspace.
func (d *decoder) landing(c *Config) {
	modes := []string{"branch", "merge", "patch", "none"}
	if c.Workspace.Mode == InPlace {
		modes = []string{"none", "commit"}
	}
	if !d.given("land.mode") {
		c.Land.Mode = modes[0]
		return
	}
	if !slices.Contains(modes, c.Land.Mode) {
		d.add("land.mode", task.CodeConflict, "%s does not go with workspace.mode %s: use one of %s", c.Land.Mode, c.Workspace.Mode, strings.Join(modes, ", "))
	}
}
