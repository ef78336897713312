package workspace
import ("testing";"syscall";"time";"fmt";"strings")
func kids() time.Duration { var u syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_CHILDREN,&u); return time.Duration(u.Utime.Nano()+u.Stime.Nano()) }
func BenchmarkZZ(b *testing.B) {
	x := newBench(b, false)
	sum := map[string]time.Duration{}; var last string; var at time.Duration
	x.space.git.trace = func(a []string) { k := kids(); if last!="" {sum[last]+=k-at}; at=k; for _,s:=range a[1:] { if !strings.Contains(s,".") && s!="-c" {last=s;break} } }
	for i := range b.N {
		x.edit(b, x.space.Dir(), i)
		x.space.last = nil
		last=""; at=kids()
		if _, err := x.space.Snapshot(b.Context()); err!=nil {b.Fatal(err)}; sum[last]+=kids()-at; last="";at=kids(); own:=cpu(); own-=at; if err:=x.space.Reset(b.Context());err!=nil {b.Fatal(err)}; sum["OWN"]+=cpu()-kids()-own
		sum[last]+=kids()-at; last=""
	}
	for k,v := range sum { fmt.Println(k, v/time.Duration(b.N)) }
}
