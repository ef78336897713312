// Package e2e has the tests that run looprun-temporal as processes against a
// real server, and nothing else. They do nothing unless LOOPRUN_TEMPORAL_E2E is
// set; LOOPRUN_TEMPORAL_SERVER names the program of the dev server.
package e2e
