package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"looprun.dev/looprun/internal/signature"
)

func TestVanished(t *testing.T) {
	tests := map[string]struct {
		base, now signature.Tests
		changed   []string
		want      []string
	}{
		"all run":     {ran("a", "b"), ran("b", "a", "c"), nil, nil},
		"one is gone": {ran("a", "b"), ran("a"), []string{"src/x.js"}, []string{"b"}},
		"a tool that says nothing now lost them all": {signature.Tests{Known: true, Run: 2, Passed: 1, Ran: []string{"a", "b"}, Green: []string{"a"}}, signature.Tests{}, nil, []string{"a", "b"}},
		"a tool that names what fails alone":         {signature.Tests{Ran: []string{"shop > TestB"}}, signature.Tests{}, nil, nil},
		"all were red, and nothing is said now":      {ran("a", "b"), signature.Tests{}, nil, []string{"a", "b"}},
		"a tool that names nothing when all pass":    {ran("a", "b"), signature.Tests{Known: true, Run: 2, Passed: 2}, nil, nil},
		"a tool that counts fewer":                   {ran("a", "b"), signature.Tests{Known: true, Run: 1, Passed: 1}, []string{"src/a.ts"}, []string{""}},
		"fewer after a test file was changed":        {ran("a", "b"), signature.Tests{Known: true, Run: 1, Passed: 1}, []string{"test/a.test.ts"}, nil},
		"a slow test is named, the others are not":   {ran("a", "b", "c"), signature.Tests{Known: true, Run: 3, Ran: []string{"c"}}, nil, nil},
		"a file that did not load":                   {ran("test/a.test.mjs", "b"), ran("adds", "b"), nil, nil},
		"a hook that failed in the place of a test":  {ran(`cart > "before each" hook for "adds"`, "b"), ran("cart > adds", "b"), nil, nil},
		"a failure that gave way to its suite":       {ran("cart > initialization", "b"), ran("cart > adds", "b"), nil, nil},
		"a failing test that is left out":            {ran("cart > adds", "cart > subs"), ran("cart > adds"), nil, []string{"cart > subs"}},
		"a base without ids knows nothing":           {signature.Tests{Known: true, Run: 3}, signature.Tests{}, nil, nil},
		"a file named only where the test failed":    {ran("test/a.test.mjs > adds"), ran("adds"), nil, nil},
		"a file named only where it fails now":       {ran("adds"), ran("test/a.test.mjs > adds"), nil, nil},
		"a test of that name in another file":        {ran("a.test.mjs > adds"), ran("b.test.mjs > adds"), nil, []string{"a.test.mjs > adds"}},
		"its file was changed":                       {ran("test/a.test.mjs > adds"), ran("x"), []string{"test/a.test.mjs"}, nil},
		"another test's file was changed":            {ran("test/a.test.mjs > adds"), ran("x"), []string{"test/b.test.mjs"}, []string{"test/a.test.mjs > adds"}},
		"a Python module was changed":                {ran("tests.test_api.TestApi.test_get"), ran("x"), []string{"tests/test_api.py"}, nil},
		"the Go package's tests were changed":        {ran("example.org/shop/search > TestFind"), ran("x"), []string{"search/find_test.go"}, nil},
		"the Go package's source was changed":        {ran("example.org/shop/search > TestFind"), ran("x"), []string{"search/find.go"}, []string{"example.org/shop/search > TestFind"}},
		"another Go package's tests":                 {ran("example.org/shop/search > TestFind"), ran("x"), []string{"cart/cart_test.go"}, []string{"example.org/shop/search > TestFind"}},
		"a check that runs in a folder":              {ran("test/a.test.mjs > adds"), ran("x"), []string{"web/test/a.test.mjs"}, nil},
		"a Java class was changed":                   {ran("com.shop.CartTest > adds"), ran("x"), []string{"src/test/java/com/shop/CartTest.java"}, nil},
		"a test that speaks of a file":               {ran("works with node.js"), ran("x"), []string{"test/a.test.mjs"}, nil},
		"an id without a file, some test changed":    {ran("adds"), ran("x"), []string{"test/a.test.mjs"}, nil},
		"an id without a file, no test was changed":  {ran("adds"), ran("x"), []string{"src/a.mjs", "package.json"}, []string{"adds"}},
		"an id that has a port in it":                {ran("connects to 127.0.0.1:41234"), ran("connects to 127.0.0.1:51234"), nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Vanished(tt.base, tt.now, tt.changed) {
				if f.Class != TestsVanished {
					t.Errorf("class = %q; want %q", f.Class, TestsVanished)
				}
				got = append(got, f.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Vanished differs (-want +got):\n%s", diff)
			}
		})
	}
}
