package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/loop"
	"looprun.dev/looprun/internal/web"
)

// defaultListen is where the dashboard is, so that a bookmark stays good. While
// another holds the port, any free one is taken.
const defaultListen = "127.0.0.1:7717"

// serveFlags are those of serve.
type serveFlags struct {
	listen, token string
	hosts         []string
	write         bool
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show tasks, rounds, diffs and logs in a browser, live",
		Long: `serve shows what status, show, diff, logs and explain print as pages that change by
themselves, and prints their address. It needs no running instance and disturbs none.

It listens on this machine alone and changes nothing, unless it is told to: --write
adds what answer, retry, cancel, pause, resume and add do. Any other address than
loopback needs a token, which is part of the printed address; names by which it is
reached have to be given with --host.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.listen, "listen", defaultListen, "listen on `ADDR`, port 0 for any free one")
	cmd.Flags().BoolVar(&f.write, "write", false, "offer actions")
	cmd.Flags().StringVar(&f.token, "token-file", "", "ask for the token in `FILE`, on loopback too")
	cmd.Flags().StringSliceVar(&f.hosts, "host", nil, "a `NAME` that it is reached by")
	return cmd
}

func (a *app) serve(ctx context.Context, f serveFlags) error {
	home, err := a.home()
	if err != nil {
		return err
	}
	l, err := a.listen(f.listen)
	if err != nil {
		return withCode(exitUsage, err)
	}
	defer l.Close()
	o := web.Options{
		Loop: filepath.Join(home, loop.LoopDir), Tasks: filepath.Join(home, loop.TasksDir), Name: filepath.Base(home),
		Write: f.write, Hosts: f.hosts, Anywhere: !loopback(l.Addr()), Now: a.now,
	}
	if o.Token, err = a.token(f.token, o.Anywhere); err != nil {
		return withCode(exitUsage, err)
	}
	s, err := web.New(&desk{app: a, ctx: ctx, tasks: o.Tasks}, o)
	if err != nil {
		return err
	}
	url := "http://" + l.Addr().String() + "/"
	if o.Token != "" && f.token == "" {
		url += "?token=" + o.Token
	}
	if o.Anywhere {
		a.warn("what is sent is not encrypted: let a proxy or ssh -L do that")
	}
	if err := a.said(url, map[string]any{"url": url, "write": f.write}); err != nil {
		return err
	}
	if err := s.Serve(ctx, l); err != nil {
		return err
	}
	return asSignal(ctx, nil)
}

func (a *app) listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil && addr == defaultListen && errors.Is(err, syscall.EADDRINUSE) {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	return l, nil
}

func loopback(addr net.Addr) bool {
	at, err := netip.ParseAddrPort(addr.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// minToken is what a token must have that anybody may guess at.
const minToken = 16

// token is that of the file; else, where one is needed, a new one.
func (a *app) token(file string, needed bool) (string, error) {
	switch {
	case file != "":
		data, err := os.ReadFile(a.path(file))
		if err != nil {
			return "", err
		}
		token := string(bytes.TrimSpace(data))
		if len(token) < minToken {
			return "", fmt.Errorf("the token in %q is shorter than %d characters", file, minToken)
		}
		return token, nil
	case needed:
		return rand.Text(), nil
	}
	return "", nil
}
