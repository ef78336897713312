// The command looprun-mcp lets agents file tasks and read what became of them,
// over the Model Context Protocol on standard input and output. "looprun mcp"
// hands over to it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"looprun.dev/looprun/mcp/internal/server"
)

const usage = `usage: looprun-mcp [-C DIR] [--config FILE]

Serves the tasks of a repository over the Model Context Protocol on standard input
and output, until that is closed. The tools are list, show, explain, add and answer.

  -C, --directory DIR   work as if started in DIR
  --config FILE         use this loop.yaml FILE
  --version             print the version
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 64 for wrong usage, as of looprun itself.
func run(args []string, stdout, stderr io.Writer) int {
	o := server.Options{Environ: os.Environ(), Version: version()}
	flags := flag.NewFlagSet("looprun-mcp", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Dir, "C", "", "")
	flags.StringVar(&o.Dir, "directory", "", "")
	flags.StringVar(&o.Config, "config", "", "")
	asked := flags.Bool("version", false, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil || flags.NArg() > 0:
		fmt.Fprintf(stderr, "looprun-mcp: wrong usage: %v\n%s", args, usage)
		return 64
	case *asked:
		fmt.Fprintln(stdout, "looprun-mcp", o.Version)
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := server.New(o).Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(stderr, "looprun-mcp:", err)
		return 1
	}
	return 0
}

// version is what the module was built as.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
