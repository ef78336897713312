package command

import (
	"crypto/tls"
	"errors"
	"fmt"

	"go.temporal.io/sdk/client"

	"looprun.dev/looprun/engine/temporal/internal/site"
)

// secure gives a connection what the cluster asks for: a certificate, or a key.
// Both come from the environment, since loop.yaml is no place for secrets.
func (a *app) secure(e site.Engine, o *client.Options) error {
	key, cert, certKey := a.getenv("TEMPORAL_API_KEY"), a.getenv("TEMPORAL_TLS_CERT"), a.getenv("TEMPORAL_TLS_KEY")
	if !e.TLS {
		if key != "" || cert != "" {
			return errors.New("TEMPORAL_API_KEY and TEMPORAL_TLS_CERT need engine.temporal.tls: true")
		}
		return nil
	}
	o.ConnectionOptions.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, certKey)
		if err != nil {
			return fmt.Errorf("read TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY: %w", err)
		}
		o.ConnectionOptions.TLS.Certificates = []tls.Certificate{pair}
	}
	if key != "" {
		o.Credentials = client.NewAPIKeyStaticCredentials(key)
	}
	return nil
}
