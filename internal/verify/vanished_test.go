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
		"a tool that names none now lost them all":  {ran("a", "b"), signature.Tests{}, nil, []string{"a", "b"}},
		"a base without ids knows nothing":          {signature.Tests{Known: true, Run: 3}, signature.Tests{}, nil, nil},
		"its file was changed":                      {ran("test/a.test.mjs > adds"), ran(), []string{"test/a.test.mjs"}, nil},
		"another test's file was changed":           {ran("test/a.test.mjs > adds"), ran(), []string{"test/b.test.mjs"}, []string{"test/a.test.mjs > adds"}},
		"a Python module was changed":               {ran("tests.test_api.TestApi.test_get"), ran(), []string{"tests/test_api.py"}, nil},
		"the Go package's tests were changed":       {ran("example.org/shop/search > TestFind"), ran(), []string{"search/find_test.go"}, nil},
		"the Go package's source was changed":       {ran("example.org/shop/search > TestFind"), ran(), []string{"search/find.go"}, []string{"example.org/shop/search > TestFind"}},
		"another Go package's tests":                {ran("example.org/shop/search > TestFind"), ran(), []string{"cart/cart_test.go"}, []string{"example.org/shop/search > TestFind"}},
		"a check that runs in a folder":             {ran("test/a.test.mjs > adds"), ran(), []string{"web/test/a.test.mjs"}, nil},
		"a Java class was changed":                  {ran("com.shop.CartTest > adds"), ran(), []string{"src/test/java/com/shop/CartTest.java"}, nil},
		"a test that speaks of a file":              {ran("works with node.js"), ran(), []string{"test/a.test.mjs"}, nil},
		"an id without a file, some test changed":   {ran("adds"), ran(), []string{"test/a.test.mjs"}, nil},
		"an id without a file, no test was changed": {ran("adds"), ran(), []string{"src/a.mjs", "package.json"}, []string{"adds"}},
		"an id that has a port in it":               {ran("connects to 127.0.0.1:41234"), ran("connects to 127.0.0.1:51234"), nil, nil},
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
