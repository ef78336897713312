package recovery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What follows from each category: its class, whether its tries leave the count
// of equal failures alone or add to it, and what it does to its target.
const properties = `
rate_limited: transient, transparent, feeds
overloaded: transient, transparent, feeds
network: transient, transparent, feeds
context_window: capacity, counts
output_truncated: capacity, counts
turn_limit: capacity, counts
json_error: form, counts
empty_response: form, counts
edit_error: form, counts
tool_pair: form, counts
verification_failed: work, counts
boundary_violation: guard
secret_detected: guard
tampered: guard
timeout: process, counts
stalled: process, counts, feeds
crashed: process, counts, feeds
session_lost: process, transparent
interrupted: process, transparent
needs_info: input
permission_denied: input
refused: input
auth: ambient, transparent, trips
quota_exhausted: ambient, transparent, trips
model_not_found: ambient, transparent, trips
tool_unavailable: ambient, transparent, trips
disk_full: ambient, transparent, trips
baseline_red: ambient, transparent, trips
check_reads_other_tree: ambient, transparent, trips
check_not_in_base: ambient, transparent, trips
check_environment: ambient, transparent, trips
generator_broken: ambient, transparent, trips
invalid_request: other, counts
unknown: other, counts
`

func TestWhatFollowsFromEachCategory(t *testing.T) {
	var b strings.Builder
	for _, c := range Categories() {
		fmt.Fprintf(&b, "\n%s: %s", c, c.Class())
		for word, holds := range map[string]bool{"transparent": c.Transparent(), "counts": c.CountsAsSame()} {
			if holds {
				b.WriteString(", " + word)
			}
		}
		if c.FeedsBreaker() {
			b.WriteString(", feeds")
		}
		if c.Trips() {
			b.WriteString(", trips")
		}
	}
	if diff := cmp.Diff(b.String()+"\n", properties); diff != "" {
		t.Errorf("properties (-got +want):\n%s", diff)
	}
}

func TestUserCategoriesHaveTheClassOfTheirPattern(t *testing.T) {
	classes := ClassesOf([]Pattern{
		{Category: "x-gateway", Class: Transient},
		{Category: "x-gateway", Class: Ambient},
		{Category: Auth, Class: Transient},
		{Category: "x-bare"},
	})
	for name, test := range map[string]struct {
		category Category
		want     Class
	}{
		"the first pattern decides":            {"x-gateway", Transient},
		"a built-in class cannot be rewritten": {Auth, Ambient},
		"no class given is other":              {"x-bare", Other},
		"a name nobody knows is other":         {"x-nobody", Other},
		"no failure has no class of its own":   {None, Other},
	} {
		if got := classes.Of(test.category); got != test.want {
			t.Errorf("%s: Of(%q) = %s; want %s", name, test.category, got, test.want)
		}
	}
	if !classes.Transparent("x-gateway") || !classes.FeedsBreaker("x-gateway") || classes.Trips("x-gateway") {
		t.Error("x-gateway does not behave as the transient category that it is")
	}
}

func TestKnownCategory(t *testing.T) {
	for name, test := range map[string]struct {
		category Category
		want     bool
	}{
		"built in":                  {RateLimited, true},
		"of the user":               {"x-team_budget-2", true},
		"no failure":                {None, false},
		"mistyped":                  {"ratelimited", false},
		"only the prefix":           {"x-", false},
		"capitals":                  {"x-Budget", false},
		"a path":                    {"x-../a", false},
		"a hyphen after the prefix": {"x--a", false},
		"too long":                  {"x-" + Category(strings.Repeat("a", 63)), false},
	} {
		if got := KnownCategory(test.category); got != test.want {
			t.Errorf("%s: KnownCategory(%q) = %t; want %t", name, test.category, got, test.want)
		}
	}
}
