package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/record"
	"looprun.dev/looprun/internal/round"
	"looprun.dev/looprun/internal/telemetry"
)

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Hand what is on record to other tools",
		Long:  "Hand what is on record to other tools.",
	}
	cmd.AddCommand(a.exportOTLPCommand())
	return cmd
}

// exportFlags are those of export otlp.
type exportFlags struct {
	endpoint      string
	since, within span
	print         bool
}

func (a *app) exportOTLPCommand() *cobra.Command {
	f := exportFlags{within: span(30 * time.Second)}
	cmd := &cobra.Command{
		Use:   "otlp [ID...]",
		Short: "Send tasks that have ended to an OpenTelemetry collector, as traces",
		Long: `otlp sends a trace for each task that has ended, or for those that are named, by
OTLP over HTTP as JSON. A task is a trace; each try of its generator, each run of the
checks and each wait is a span in it. Goals, prompts, outputs and answers are not sent.
Ids follow from the records: what is sent twice is the same trace.

The collector is the one of --endpoint, else of the variables OTEL_EXPORTER_OTLP_ENDPOINT
or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, else http://localhost:4318.
OTEL_EXPORTER_OTLP_HEADERS (NAME=VALUE,...) may hold what it wants for access.`,
		ValidArgsFunction: a.completeID,
		RunE:              func(cmd *cobra.Command, ids []string) error { return a.exportOTLP(cmd.Context(), f, ids) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.endpoint, "endpoint", "", "send to the collector at `URL`")
	flags.Var(&f.since, "since", "only tasks that ended in the last `D`, as 24h")
	flags.Var(&f.within, "within", "give up after `D`")
	flags.BoolVar(&f.print, "print", false, "print what would be sent, a request a line, and send nothing")
	return cmd
}

// maxSpans is how many spans go into one request, so that a long history makes
// many small ones. A task is never divided.
const maxSpans = 500

func (a *app) exportOTLP(ctx context.Context, f exportFlags, ids []string) error {
	x, err := a.exporter(f.endpoint)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, time.Duration(f.within))
	defer cancel()
	d := &delivery{send: func(spans []telemetry.Span) error {
		if f.print {
			a.printJSON(x.Request(spans))
			return nil
		}
		if err := x.Send(bounded, spans); err != nil {
			return withCode(exitHeld, err)
		}
		return nil
	}}
	if err := errors.Join(a.finished(f.since, ids, d.add), d.flush()); err != nil || f.print {
		return asSignal(ctx, err)
	}
	return a.said(fmt.Sprintf("%s sent, %s", plural(d.tasks, "task"), plural(d.spans, "span")), map[string]any{"tasks": d.tasks, "spans": d.spans})
}

func (a *app) exporter(endpoint string) (telemetry.Exporter, error) {
	home, err := a.home()
	if err != nil {
		return telemetry.Exporter{}, err
	}
	x := telemetry.Exporter{Version: version(), Resource: telemetry.NewResource(home, version())}
	if x.Endpoint, err = a.collector(endpoint); err == nil {
		x.Headers, err = headers(a.getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	}
	if err != nil {
		err = withCode(exitUsage, err)
	}
	return x, err
}

// A delivery gathers spans until a request is worth it.
type delivery struct {
	send         func([]telemetry.Span) error
	waiting      []telemetry.Span
	tasks, spans int
}

func (d *delivery) add(h record.History) error {
	d.tasks++
	d.waiting = append(d.waiting, telemetry.Trace(h)...)
	if len(d.waiting) < maxSpans {
		return nil
	}
	return d.flush()
}

func (d *delivery) flush() error {
	if len(d.waiting) == 0 {
		return nil
	}
	gone := d.waiting
	d.spans, d.waiting = d.spans+len(gone), nil
	return d.send(gone)
}

// finished visits the tasks that have ended: those that are named, else all
// that ended since.
func (a *app) finished(since span, ids []string, visit func(record.History) error) error {
	if len(ids) > 0 {
		return a.named(ids, visit)
	}
	var from time.Time
	if since > 0 {
		from = a.now().Add(-time.Duration(since))
	}
	return a.survey(from, func(h record.History) error {
		if h.State.Next != round.End || h.Lines[len(h.Lines)-1].At.Before(from) {
			return nil
		}
		return visit(h)
	})
}

func (a *app) named(ids []string, visit func(record.History) error) error {
	for _, start := range ids {
		id, err := a.wholeID(start)
		if err != nil {
			return err
		}
		h, err := a.history(id)
		if err != nil {
			return err
		}
		if h.State.Next != round.End {
			return withCode(exitNotNow, fmt.Errorf("%s has not ended: what is finished is exported", id))
		}
		if err := visit(h); err != nil {
			return err
		}
	}
	return nil
}

// collector is the address that traces are posted to. The variable for traces
// is taken as it is, the others are the base of all signals.
func (a *app) collector(given string) (string, error) {
	base := given
	if base == "" {
		if whole := a.getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); whole != "" {
			return whole, address(whole)
		}
		base = a.getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if base == "" {
		base = "http://localhost:4318"
	}
	return strings.TrimSuffix(base, "/") + "/v1/traces", address(base)
}

func address(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("the endpoint is no address: give it as http://HOST:4318 or https://HOST")
	}
	return nil
}

// headers reads NAME=VALUE,NAME=VALUE, where values are encoded as in an URL.
func headers(text string) (map[string]string, error) {
	all := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok && name == "" {
			continue
		}
		plain, err := url.PathUnescape(value)
		if !ok || err != nil || name == "" || strings.ContainsAny(plain, "\r\n") {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not NAME=VALUE,NAME=VALUE")
		}
		all[name] = plain
	}
	return all, nil
}
