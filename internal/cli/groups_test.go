package cli

import "testing"

func TestEveryCommandHasItsPlaceInTheList(t *testing.T) {
	for _, cmd := range (&app{}).root().Commands() {
		if cmd.GroupID == "" && !cmd.Hidden && cmd.Runnable() {
			t.Errorf("%s is in no group of the list of commands", cmd.Name())
		}
	}
}
