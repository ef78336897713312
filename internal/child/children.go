package child

import (
	"os"
	"sync"
)

// children are the processes that looprun has started itself and will wait
// for. What else turns up as a child of looprun is an orphan that came to it as
// the subreaper, and is reaped here.
var children = registry{pids: map[int]*started{}, runs: map[string]int{}}

type registry struct {
	// gate is held for reading while a process is being started, and for
	// writing while orphans are looked for: a fresh process looks like one
	// before it is entered here.
	gate sync.RWMutex

	mu   sync.Mutex
	pids map[int]*started
	runs map[string]int // run ids under way
}

// A started process belongs to a run, or to none if run is "".
type started struct {
	proc *os.Process
	run  string
}

// start starts p and enters it.
func (r *registry) start(p *program, run string) (*started, error) {
	r.gate.RLock()
	defer r.gate.RUnlock()
	proc, err := p.start()
	if err != nil {
		return nil, err
	}
	s := &started{proc, run}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pids[proc.Pid] = s
	return s, nil
}

// wait waits for s and strikes it off. Up to then its pid is not reused, and
// nobody else may reap it.
func (r *registry) wait(s *started) *os.ProcessState {
	state, _ := s.proc.Wait() // an error would mean that somebody else has reaped it
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pids[s.proc.Pid] == s {
		delete(r.pids, s.proc.Pid)
	}
	return state
}

// begin and end mark the time in which processes of a run may turn up.
func (r *registry) begin(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[run]++
}

func (r *registry) end(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[run]--; r.runs[run] == 0 {
		delete(r.runs, run)
	}
}

// others returns the runs under way other than run, and the sessions of their
// commands.
func (r *registry) others(run string) (ids map[string]bool, sessions map[int]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids, sessions = map[string]bool{}, map[int]bool{}
	for id := range r.runs {
		if id != run {
			ids[id] = true
		}
	}
	for pid, s := range r.pids {
		if s.run != run || run == "" {
			sessions[pid] = true
		}
	}
	return ids, sessions
}

// owns tells whether pid is waited for elsewhere.
func (r *registry) owns(pid int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pids[pid] != nil
}
