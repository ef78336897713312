package extract

import "strings"

const infraPrefix = "infra:"

// infraSigns are the words by which systems and libraries say that the
// environment, not the work, is at fault. They are compared without case.
var infraSigns = []struct {
	kind  string
	signs []string
}{
	{"connection_refused", []string{"econnrefused", "connection refused", "connectionrefusederror", "connection was refused", "actively refused"}},
	{"dns", []string{
		"getaddrinfo", "eai_again", "name or service not known", "temporary failure in name resolution",
		"no such host", "could not resolve host", "couldn't resolve host", "unknownhostexception",
		"failed to lookup address information", "nodename nor servname provided", "name resolution failed",
	}},
	{"network_unreachable", []string{"enetunreach", "ehostunreach", "network is unreachable", "no route to host"}},
	{"disk_full", []string{"enospc", "no space left on device", "disk quota exceeded", "edquot"}},
	{"out_of_memory", []string{
		"heap out of memory", "outofmemoryerror", "cannot allocate memory", "enomem", "std::bad_alloc",
		"runtime: out of memory", "memory exhausted", "virtual memory exhausted", "allowed memory size of",
	}},
	{"rate_limited", []string{"429 too many requests", "too many requests (429)", "http 429", "status code 429", "status: 429", "http error 429"}},
	{"unavailable", []string{"503 service unavailable", "http 503", "status code 503", "status: 503", "http error 503"}},
}

// infraKind says which fault of the environment a failure tells of, or "". An
// assertion is never one: it may be about just such a text.
func infraKind(class, detail string) string {
	if isAssertion(class) {
		return ""
	}
	if class == "MemoryError" || strings.HasSuffix(class, "/MemoryError") {
		return "out_of_memory"
	}
	text := strings.ToLower(class + "\n" + detail)
	for _, s := range infraSigns {
		for _, sign := range s.signs {
			if strings.Contains(text, sign) {
				return s.kind
			}
		}
	}
	return ""
}

func isAssertion(class string) bool {
	class = strings.ToLower(class)
	return strings.Contains(class, "assert") || strings.Contains(class, "expectation") || strings.Contains(class, "compar")
}
