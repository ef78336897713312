package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"looprun.dev/looprun/internal/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "schema NAME",
		Short:     "Print a JSON schema: " + strings.Join(schema.Names(), ", "),
		Args:      cobra.ExactArgs(1),
		ValidArgs: schema.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := schema.Get(args[0])
			if err != nil {
				return withCode(exitUsage, err)
			}
			_, err = fmt.Fprint(a.stdout, string(data))
			return err
		},
	}
}
