package recovery

import "slices"

// answers says what an HTTP status means when nothing in the error says more,
// and which categories the error may make of it: a 401 is never a timeout,
// whatever words come with it.
var answers = []struct {
	from, to int
	category Category
	admits   []Category // besides category
}{
	{401, 401, Auth, nil},
	{402, 402, QuotaExhausted, nil},
	{403, 403, Auth, []Category{QuotaExhausted, RateLimited, Refused, DiskFull}},
	{404, 404, InvalidRequest, []Category{ModelNotFound, SessionLost}},
	{407, 407, Auth, nil}, // a proxy wants to know who asks
	{408, 408, Network, nil},
	{413, 413, ContextWindow, nil},
	{425, 425, Overloaded, nil},
	{429, 429, RateLimited, []Category{QuotaExhausted, ContextWindow, Overloaded}},
	{400, 499, InvalidRequest, []Category{
		SessionLost, ToolPair, OutputTruncated, ContextWindow, QuotaExhausted, RateLimited, Refused, TurnLimit,
		Auth, ModelNotFound, Overloaded, PermissionDenied,
	}},
	{504, 504, Network, []Category{Overloaded, ContextWindow}},
	{522, 522, Network, nil},
	{524, 524, Network, nil},
	{500, 599, Overloaded, []Category{ContextWindow, OutputTruncated, ToolPair, QuotaExhausted, RateLimited, ModelNotFound, JSONError, EmptyResponse}},
}

// statusRule is the id of a match that only the status made.
const statusRule = "api-error"

// byStatus is what a status means by itself; false for none.
func byStatus(status int) (Category, bool) {
	for _, a := range answers {
		if status >= a.from && status <= a.to {
			return a.category, true
		}
	}
	return "", false
}

// admits reports whether an error with this status can be of category c.
func admits(status int, c Category) bool {
	for _, a := range answers {
		if status >= a.from && status <= a.to {
			return c == a.category || slices.Contains(a.admits, c)
		}
	}
	return true
}
