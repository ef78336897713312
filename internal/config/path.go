package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"looprun.dev/looprun/internal/task"
)

// member is the path of a mapping's member. Keys that would garble a line of
// output are quoted in it.
func member(path, key string) string {
	if quoted := strconv.Quote(key); quoted != `"`+key+`"` || key == "" {
		key = quoted
	}
	key = task.Clip(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

// item is the path of a list's item, counted from 0.
func item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// parent is the path of what holds the setting, "" for a section.
func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// inside tells whether path is folder or below it. Both are absolute.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
