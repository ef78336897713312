//go:build linux && !amd64

package faults

var older map[int]kind
