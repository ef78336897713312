package extract

import "strings"

const infraPrefix = "infra:"

// infraWords are those by which systems and libraries say that the
// environment, not the work, is at fault.
var infraWords = wordsOf(
	[]string{
		"connection_refused",
		"econnrefused", "connection refused", "connectionrefusederror", "connection was refused", "actively refused",
	},
	[]string{
		"dns",
		"getaddrinfo", "eai_again", "name or service not known", "temporary failure in name resolution", "no such host",
		"could not resolve host", "couldn't resolve host", "unknownhostexception", "failed to lookup address information",
		"nodename nor servname provided", "name resolution failed",
	},
	[]string{"network_unreachable", "enetunreach", "ehostunreach", "network is unreachable", "no route to host"},
	[]string{"disk_full", "enospc", "no space left on device", "disk quota exceeded", "edquot"},
	[]string{
		"out_of_memory",
		"heap out of memory", "outofmemoryerror", "cannot allocate memory", "enomem", "std::bad_alloc",
		"runtime: out of memory", "memory exhausted", "allowed memory size of",
	},
	[]string{
		"rate_limited",
		"429 too many requests", "too many requests (429)", "http 429", "status code 429", "status: 429", "http error 429",
	},
	[]string{"unavailable", "503 service unavailable", "http 503", "status code 503", "status: 503", "http error 503"},
)

// infraKind says which fault of the environment a failure tells of, or "". An
// assertion is never one: it may be about just such a text.
func infraKind(class, detail string) string {
	if isAssertion(class) {
		return ""
	}
	if class == "MemoryError" || strings.HasSuffix(class, "/MemoryError") {
		return "out_of_memory"
	}
	if kind := infraWords.first(class); kind != "" {
		return kind
	}
	return infraWords.first(detail)
}

func isAssertion(class string) bool {
	class = strings.ToLower(class)
	return strings.Contains(class, "assert") || strings.Contains(class, "expectation") || strings.Contains(class, "compar")
}
