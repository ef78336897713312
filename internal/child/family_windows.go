package child

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A family is all processes of one run: the members of a job object. The
// system ends them when the job is closed, and so when looprun dies.
type family struct {
	level   string
	job     windows.Handle
	started *started
	main    Proc
}

func newFamily(Cmd) *family { return &family{level: Job} }

// start starts the command asleep, since what it starts before it is in the
// job would not be.
func (f *family) start(p *program) (err error) {
	if f.job, err = newJob(); err != nil {
		return err
	}
	p.attr.Sys = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if f.started, err = children.start(p, ""); err != nil {
		return err
	}
	pid := uint32(f.started.proc.Pid)
	if err = f.enter(pid); err == nil {
		err = wake(pid)
	}
	if err != nil {
		_ = f.started.proc.Kill()
		children.wait(f.started)
	}
	return err
}

// newJob makes a job whose members die with its last handle, which is ours.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("make job object: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, fmt.Errorf("set limits of job object: %w", err)
	}
	return job, nil
}

// enter puts the command into the job.
func (f *family) enter(pid uint32) error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	h, err := windows.OpenProcess(access, false, pid)
	if err != nil {
		return fmt.Errorf("open process %d: %w", pid, err)
	}
	defer windows.CloseHandle(h)
	if err := windows.AssignProcessToJobObject(f.job, h); err != nil {
		return fmt.Errorf("put process %d into a job object: %w", pid, err)
	}
	var made, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &made, &exit, &kernel, &user) == nil {
		f.main = Proc{PID: int(pid), Start: uint64(made.Nanoseconds())}
	}
	return nil
}

// wake lets the threads of a process run that was started asleep.
func wake(pid uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(all)
	e := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &e); err == nil; err = windows.Thread32Next(all, &e) {
		if e.OwnerProcessID != pid {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, e.ThreadID)
		if err != nil {
			return fmt.Errorf("open thread of process %d: %w", pid, err)
		}
		_, err = windows.ResumeThread(h)
		windows.CloseHandle(h)
		if err != nil {
			return fmt.Errorf("resume process %d: %w", pid, err)
		}
	}
	return nil
}

func (f *family) wait() *os.ProcessState { return children.wait(f.started) }

func (f *family) proc() Proc { return f.main }

// reap has nothing to do: the system has no zombies.
func (f *family) reap() {}

// end ends what is alive: by a break for the group of the command, and after
// the grace period by ending the job.
func (f *family) end(grace time.Duration, now <-chan struct{}) (int, error) {
	left, err := f.living()
	if err != nil || left == 0 {
		return 0, err
	}
	others := left
	if state, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(f.main.PID)); err == nil {
		if ev, _ := windows.WaitForSingleObject(state, 0); ev == uint32(windows.WAIT_TIMEOUT) {
			others-- // the command itself
		}
		windows.CloseHandle(state)
	}
	if grace > 0 && !closed(now) {
		_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(f.main.PID))
		if left, err = f.gone(grace, now); err != nil || left == 0 {
			return others, err
		}
	}
	_ = windows.TerminateJobObject(f.job, 1)
	if left, err = f.gone(killWait, nil); err == nil && left > 0 {
		err = fmt.Errorf("%d processes are still alive", left)
	}
	return others, err
}

// gone waits until no member is alive, the time is over or now is closed.
func (f *family) gone(within time.Duration, now <-chan struct{}) (int, error) {
	over := time.After(within)
	for wait := time.Millisecond; ; wait = min(wait*2, 50*time.Millisecond) {
		left, err := f.living()
		if err != nil || left == 0 {
			return 0, err
		}
		select {
		case <-over:
			return left, nil
		case <-now:
			return left, nil
		case <-time.After(wait):
		}
	}
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUser, periodKernel int64
	faults, total, active, terminated              uint32
}

// living counts the members of the job.
func (f *family) living() (int, error) {
	var a accounting
	err := windows.QueryInformationJobObject(f.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	if err != nil {
		return 0, fmt.Errorf("count the members of a job object: %w", err)
	}
	return int(a.active), nil
}

func (f *family) close() error {
	if f.job == 0 {
		return nil
	}
	return windows.CloseHandle(f.job)
}
