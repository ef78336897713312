//go:build unix

package e2e

import (
	"fmt"
	"testing"
	"time"
)

// Generators that sleep for four seconds show what the engine itself costs, and how
// far more workers help. Two tasks at once a worker.
func TestMoreWorkersFinishMoreTasksASecond(t *testing.T) {
	const tasks = 16
	var before time.Duration
	for _, workers := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			r := newRig(t, workers, 2, "30s")
			var ids []string
			for n := range tasks {
				ids = append(ids, fmt.Sprintf("nap-%02d", n))
			}
			began := time.Now()
			r.start(ids...)
			for _, id := range ids {
				r.end(id, 2*time.Minute)
			}
			took := time.Since(began)
			t.Logf("%d workers: %d tasks in %s, %.2f tasks/s", workers, tasks, took.Round(100*time.Millisecond), tasks/took.Seconds())
			if before > 0 && took > before {
				t.Errorf("it took %s; want less than the %s of half the workers", took, before)
			}
			before = took
		})
	}
}
