package queue

import (
	"slices"
	"strings"
)

// circles finds the files that wait for themselves, and says through whom.
func circles(entries []entry) map[string]string {
	g := graph{after: map[string][]string{}, at: map[string]int{}, found: map[string]string{}}
	for _, e := range entries {
		if e.state == ready && len(e.rare().after) > 0 {
			g.after[stem(e.name)] = e.rare().after
		}
	}
	for _, e := range entries {
		if _, ok := g.after[stem(e.name)]; ok {
			g.visit(stem(e.name))
		}
	}
	return g.found
}

// A graph is walked once, depth first; a strongly connected part of it is
// complete when the walk leaves the node that it entered the part by.
type graph struct {
	after map[string][]string
	at    map[string]int // when a node was entered, from 1; -1 when its part is complete
	clock int
	stack []string
	found map[string]string
}

// visit gives the earliest node on the stack that id leads back to.
func (g *graph) visit(id string) int {
	g.clock++
	entered := g.clock
	low := entered
	g.at[id] = entered
	g.stack = append(g.stack, id)
	for _, next := range g.after[id] {
		switch at := g.at[next]; {
		case at > 0:
			low = min(low, at)
		case at == 0 && g.after[next] != nil:
			low = min(low, g.visit(next))
		}
	}
	if low == entered {
		g.leave(id)
	}
	return low
}

// leave completes the part of the graph that was entered by id. All members
// of a circular part are told the same circle, one that id is on.
func (g *graph) leave(id string) {
	at := len(g.stack) - 1
	for g.stack[at] != id {
		at--
	}
	part := g.stack[at:]
	g.stack = g.stack[:at]
	circular := len(part) > 1 || slices.Contains(g.after[id], id)
	for _, member := range part {
		g.at[member] = -1
	}
	if !circular {
		return
	}
	way := g.circle(id, part)
	for _, member := range part {
		g.found[member+suffix] = way
	}
}

// circle is a shortest way from id back to itself inside its part of the graph.
func (g *graph) circle(id string, part []string) string {
	from := make(map[string]string, len(part)) // "": a member that was not reached
	for _, member := range part {
		from[member] = ""
	}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g.after[queue[0]] {
			if next == id {
				return written(id, queue[0], from)
			}
			if before, member := from[next]; member && before == "" {
				from[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return id
}

func written(id, last string, from map[string]string) string {
	way := []string{id}
	for ; last != id; last = from[last] {
		way = append(way, last)
	}
	way = append(way, id)
	slices.Reverse(way)
	if len(way) > 10 {
		way = slices.Concat(way[:5], []string{"..."}, way[len(way)-4:])
	}
	return strings.Join(way, " after ")
}
