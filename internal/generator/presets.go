package generator

// exec is any program that reads the prompt or the request. It learns the model
// and the session from its environment and tells what it has to tell in its
// report. Whether it can go on with a session only loop.yaml knows.
var execAdapter = Adapter{Name: "exec", Prompt: Stdin}

// codex keeps all it has in CODEX_HOME; a login in the system's keyring is bound
// to that folder, so it must be in a file. Its own sandbox closes the network to
// commands. It waits out a Retry-After of any length, so its retries are off;
// for the built-in provider it takes no such setting and stops by itself after 5
// to 30 requests. The usage that it tells is that of the whole session.
var codexAdapter = withEvents(Adapter{
	Name: "codex", Command: []string{"codex"}, Prompt: Stdin,
	First:     []string{"exec"},
	Resume:    []string{"resume", "{session}"},
	Model:     []string{"-m", "{model}"},
	Fenced:    []string{"-c", `sandbox_mode="danger-full-access"`},
	Open:      []string{"-c", `sandbox_mode="workspace-write"`},
	Tune:      codexProvider,
	Always:    []string{"--json", "--skip-git-repo-check", "-c", `approval_policy="never"`, "-"},
	Store:     Store{Var: "CODEX_HOME", User: ".codex", Link: []string{"auth.json"}, Copy: []string{codexConfig, "AGENTS.md"}},
	Login:     Login{Env: []string{"CODEX_API_KEY"}, Files: []string{".codex/auth.json", ".codex/config.toml"}, Command: "codex login"},
	CanResume: true, SumsUsage: true,
	Tested: "0.171.0", Package: "@openai/codex",
})

// claude stays in the user's own folder: on some systems its login is bound to
// it, and a renewed token must not be lost. Its sessions belong to the work
// tree's path, which stays the same. Naming the tools in place of skipping all
// permissions works for root too. The cost that it tells is that of the whole
// session, the usage is not.
var claudeAdapter = withEvents(Adapter{
	Name: "claude", Command: []string{"claude"}, Prompt: Stdin,
	Resume: []string{"--resume", "{session}"},
	Model:  []string{"--model", "{model}"},
	Always: []string{"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits",
		"--allowedTools", "Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch"},
	Env:       map[string]string{"CLAUDE_CODE_MAX_RETRIES": "0", "DISABLE_AUTOUPDATER": "1"},
	Login:     Login{Env: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}, Files: []string{".claude/.credentials.json"}, Command: "claude setup-token"},
	CanResume: true, SumsCost: true,
	Tested: "2.1.332", Package: "@anthropic-ai/claude-code",
})

// opencode reads its settings from the user's own folder, which stays as it is:
// only what it writes, sessions and login, is in the task's. Nothing turns its
// five retries down; it waits up to two minutes between them.
var opencodeAdapter = withEvents(Adapter{
	Name: "opencode", Command: []string{"opencode"}, Prompt: Stdin,
	First:     []string{"run"},
	Resume:    []string{"-s", "{session}"},
	Model:     []string{"-m", "{model}"},
	Always:    []string{"--format", "json", "--auto"},
	Env:       map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"},
	Store:     Store{Var: "XDG_DATA_HOME", Sub: "opencode", User: ".local/share/opencode", Link: []string{"auth.json"}},
	Login:     Login{Env: []string{"OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"}, Files: []string{".local/share/opencode/auth.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, Command: "opencode auth login"},
	CanResume: true,
	Tested:    "1.18.33", Package: "opencode-ai",
})

// gemini exits with the last HTTP status, of which one byte is left. An answer
// that was cut is told in its telemetry alone, which therefore goes to a file;
// prompts do not go there.
var geminiAdapter = withEvents(Adapter{
	Name: "gemini", Command: []string{"gemini"}, Prompt: Stdin,
	Resume: []string{"--resume", "{session}"},
	Model:  []string{"-m", "{model}"},
	Always: []string{"--skip-trust", "-y", "-o", "stream-json"},
	Env: map[string]string{
		"GEMINI_TELEMETRY_ENABLED": "true", "GEMINI_TELEMETRY_TARGET": "local", "GEMINI_TELEMETRY_LOG_PROMPTS": "false",
		"GEMINI_TELEMETRY_OUTFILE": storeMark + "/" + telemetryFile,
	},
	Store: Store{
		Var: "GEMINI_CLI_HOME", Sub: ".gemini", User: ".gemini",
		Link:  []string{"oauth_creds.json", "google_accounts.json", "gemini-credentials.json", ".env"},
		Copy:  []string{"GEMINI.md"},
		Merge: map[string]string{"settings.json": `{"general": {"maxAttempts": 1, "disableAutoUpdate": true}}`},
		Fresh: []string{telemetryFile},
	},
	Login:     Login{Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"}, Files: []string{".gemini/oauth_creds.json", ".gemini/.env"}, Command: "gemini"},
	CanResume: true, Cut: geminiCut,
	Tested: "0.61.0", Package: "@google/gemini-cli",
})

// qwen replaces its login file when it renews a token, so it stays in the user's
// own folder; only sessions are in the task's, and settings above the user's own
// in a file that goes before them. Seven requests in about 80 seconds cannot be
// turned down. Its exit codes say nothing. The usage that it tells is that of
// the whole session.
var qwenAdapter = withEvents(Adapter{
	Name: "qwen", Command: []string{"qwen"}, Prompt: Stdin,
	Resume: []string{"--resume", "{session}"},
	Model:  []string{"-m", "{model}"},
	Always: []string{"-y", "-o", "stream-json"},
	Env:    map[string]string{"QWEN_CODE_SYSTEM_SETTINGS_PATH": storeMark + "/settings.json"},
	Store: Store{
		Var:   "QWEN_RUNTIME_DIR",
		Merge: map[string]string{"settings.json": `{"model": {"generationConfig": {"maxRetries": 0}}, "memory": {"enableManagedAutoMemory": false}, "general": {"enableAutoUpdate": false, "disableAutoUpdate": true}}`},
		Fresh: []string{"debug"},
	},
	Login:     Login{Env: []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"}, Files: []string{".qwen/oauth_creds.json", ".qwen/settings.json"}, Command: "qwen"},
	CanResume: true, SumsUsage: true, Cut: qwenCut,
	Tested: "0.15.10", Package: "@qwen-code/qwen-code",
})

// pi has no permissions to give and no sandbox of its own. It exits with 0
// whatever happened.
var piAdapter = withEvents(Adapter{
	Name: "pi", Command: []string{"pi"}, Prompt: Stdin,
	Resume: []string{"--session", "{session}"},
	Model:  []string{"--model", "{model}"},
	Always: []string{"-p", "--mode", "json"},
	Env:    map[string]string{"PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
	Store: Store{
		Var: "PI_CODING_AGENT_DIR", User: ".pi/agent",
		Link:  []string{"auth.json"},
		Copy:  []string{"models.json", "AGENTS.md"},
		Merge: map[string]string{"settings.json": `{"retry": {"enabled": false, "provider": {"maxRetries": 0}}}`},
	},
	Login:     Login{Env: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"}, Files: []string{".pi/agent/auth.json", ".pi/agent/models.json"}, Command: "pi, then /login"},
	CanResume: true,
	Tested:    "0.73.1", Package: "@mariozechner/pi-coding-agent",
})

// adapters are the known kinds, in the order in which they are listed.
var adapters = []Adapter{
	execAdapter, codexAdapter, claudeAdapter, opencodeAdapter, geminiAdapter, qwenAdapter, piAdapter,
}
