package loop

import "looprun.dev/looprun/internal/record"

// Repair compares the views of tasks with their journals, and renders those
// anew that differ; without ids those of all tasks.
func (l *Loop) Repair(ids []string) ([]record.Repaired, error) {
	if len(ids) == 0 {
		r, err := l.Reader()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		if ids, err = r.Tasks(); err != nil {
			return nil, err
		}
	}
	repaired, err := l.store.Repair(ids...)
	if err != nil {
		return repaired, err
	}
	return repaired, l.store.Leave()
}
