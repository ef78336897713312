package loop

import "looprun.dev/looprun/internal/generator"

// secretValues are the values that reach no record: those of looprun's own
// environment, and those that loop.yaml sets. Each try asks for them several
// times, so they are looked for once.
func (l *Loop) secretValues() []string {
	if l.secrets == nil {
		return l.findSecrets()
	}
	return l.secrets
}

func (l *Loop) findSecrets() []string {
	all := append(l.environ(l.cfg.Generator.Env), l.environ(l.cfg.Verification.Env)...)
	return append([]string{}, generator.Secrets(append(all, l.opts.Environ...), l.cfg.Records.Redact)...)
}
