#!/usr/bin/env node
// fakemodel: a scripted stand-in for a model API on 127.0.0.1, for testing agent CLIs without any
// real service. Node >= 18, no dependencies. Speaks, streaming (SSE) and not:
//   POST /v1/chat/completions   (OpenAI chat)         POST /v1/messages  (Anthropic)
//   POST /v1/responses          (OpenAI responses)    POST /v1beta/models/M:streamGenerateContent (Gemini)
// plus GET /v1/models, count_tokens, and GET /__log (requests seen so far), POST /__script (new script).
//
//   node fakemodel.mjs --port 8099 --script '["edit","final"]' [--log req.jsonl] [--bodies DIR]
//
// The script is a list of steps. Each main request (one that offers tools) takes the next step, the last
// step repeats. Requests without tools (titles, summaries) get a short text and take no step, unless the
// current step is an error, which they get too. A step is a name or an object {do, times, ...}:
//   edit   {path, content}      call the write/edit/shell tool that the CLI offers, so that `path` is made
//   shell  {cmd}                call the shell tool the CLI offers
//   tool   {name, args}         call any tool; args may be a string, sent as it is (broken JSON)
//   final  {text}               plain text, normal stop
//   length {text}               text cut off: finish_reason length / stop_reason max_tokens / incomplete
//   empty | garbage | badsse | drop | drop-mid {text} | hang | slow {ms}
//   broken                      call that tool with arguments that end in the middle
//   error  {status, etype, code, message, headers}   or one of the PRESETS below by name
// A step with `where: {has, ...}` takes the other members of `where` when the request has that text in it.
// Port 0 takes a free one. Paths are below the working directory that the request names.
import http from 'node:http';
import fs from 'node:fs';

const arg = (n, d) => { const i = process.argv.indexOf('--' + n); return i < 0 ? d : process.argv[i + 1]; };
const PORT = +arg('port', 8099), LOG = arg('log'), BODIES = arg('bodies');
let script = JSON.parse(arg('script', '["edit","final"]')), pos = 0, used = 0, seq = 0, log = [];
const t0 = Date.now();

const PRESETS = {
  '429': { status: 429, etype: 'rate_limit_error', code: 'rate_limit_exceeded', headers: { 'retry-after': '3' },
    message: 'Rate limit reached for requests. Please try again in 3s.' },
  '429-long': { status: 429, etype: 'rate_limit_error', code: 'rate_limit_exceeded', headers: { 'retry-after': '3600' },
    message: 'Rate limit reached for requests. Please try again in 1h0m0s.' },
  '429-bare': { status: 429, etype: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests' },
  quota: { status: 429, etype: 'insufficient_quota', code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.' },
  '402': { status: 402, etype: 'billing_error', code: 'insufficient_credits', message: 'Insufficient credits.' },
  '529': { status: 529, etype: 'overloaded_error', code: 'overloaded', message: 'Overloaded' },
  '503': { status: 503, etype: 'server_error', code: 'service_unavailable', message: 'The server is overloaded or not ready yet.' },
  '500': { status: 500, etype: 'api_error', code: 'server_error', message: 'Internal server error' },
  '401': { status: 401, etype: 'authentication_error', code: 'invalid_api_key', message: 'Incorrect API key provided: dummy.' },
  '403': { status: 403, etype: 'permission_error', code: 'forbidden', message: 'Your key has no access to this model.' },
  '404': { status: 404, etype: 'not_found_error', code: 'model_not_found', message: 'The model `m` does not exist or you do not have access to it.' },
  '400': { status: 400, etype: 'invalid_request_error', code: 'invalid_value', message: "Invalid value: 'input[3].role'." },
  ctx: { status: 400, etype: 'invalid_request_error', code: 'context_length_exceeded',
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens." },
  'ctx-anthropic': { status: 400, etype: 'invalid_request_error', code: 'invalid_request_error', message: 'prompt is too long: 213000 tokens > 200000 maximum' },
};

const USAGE = { in: 1200, out: 34, cached: 200 };
const norm = (s) => (typeof s === 'string' ? (PRESETS[s] ? { do: 'error', ...PRESETS[s] } : { do: s })
  : PRESETS[s.do] ? { ...PRESETS[s.do], ...s, do: 'error' } : s);
function peek() { return norm(script[Math.min(pos, script.length - 1)]); }
function take() { const s = peek(); if (++used >= (s.times || 1)) { used = 0; if (pos < script.length - 1) pos++; } return s; }

// Which offered tool makes a file, and with which arguments: first match wins.
const q = (s) => "'" + s.replace(/'/g, "'\\''") + "'";
const sh = (s) => s.cmd ?? `printf %s ${q(s.content)} > ${q(s.path)}`;
const WRITERS = {
  write: (s, abs, p) => p.filePath ? { filePath: abs, content: s.content } : p.file_path ? { file_path: abs, content: s.content } : { path: s.path, content: s.content },
  write_file: (s, abs) => ({ file_path: abs, content: s.content }),
  Write: (s, abs, p) => (p.filepath ? { filepath: abs, content: s.content } : { file_path: abs, content: s.content }),
  write_to_file: (s, abs, p) => (p.absolutePath ? { absolutePath: abs, content: s.content } : { path: s.path, content: s.content, task_progress: '' }),
  editor: (s, abs) => ({ path: abs, new_text: s.content }),
};
const SHELLS = {
  exec_command: (c) => ({ cmd: c }), shell_command: (c) => ({ command: c }), shell: (c) => ({ command: ['bash', '-lc', c] }),
  bash: (c) => ({ command: c, description: 'run' }), Bash: (c) => ({ command: c }), run_shell_command: (c) => ({ command: c, description: 'run', is_background: false }),
  execute_command: (c) => ({ command: c, requires_approval: false }), run_commands: (c) => ({ commands: [c] }),
};
function pickTool(step, tools, cwd) {
  const by = Object.fromEntries(tools.map((t) => [t.name, t.params]));
  if (step.do === 'edit') for (const n in WRITERS) if (n in by)
    return { name: n, args: JSON.stringify(WRITERS[n](step, `${cwd}/${step.path}`, by[n] || {})) };
  for (const n in SHELLS) if (n in by) return { name: n, args: JSON.stringify(SHELLS[n](sh(step))) };
  return { name: 'no_writer_tool_offered', args: '{}' };
}

function plan(step, tools, cwd) { // -> {text, call, stop}
  const s = { path: 'hello.txt', content: 'hello from fakemodel\n', ...step };
  switch (s.do) {
    case 'edit': case 'shell': return { text: 'Working on it.', call: pickTool(s, tools, cwd), stop: 'tool' };
    case 'broken': return { text: '', call: { ...pickTool({ ...s, do: 'edit' }, tools, cwd), args: '{"file_path": "x' }, stop: 'tool' };
    case 'tool': return { text: '', call: { name: s.name, args: typeof s.args === 'string' ? s.args : JSON.stringify(s.args || {}) }, stop: 'tool' };
    case 'length': return { text: s.text || 'This answer was cut off in the mid', stop: 'length' };
    case 'empty': return { text: '', stop: 'end' };
    default: return { text: s.text || 'All done: hello.txt written.', stop: 'end' };
  }
}

// ---- one renderer per wire: (plan, model) -> {events: [[event, data]...], whole: object, done: trailer}
const id = (p) => `${p}_fake${++seq}`;
const wires = {
  chat({ text, call, stop }, model) {
    const base = { id: id('chatcmpl'), created: 1700000000, model };
    const fin = { tool: 'tool_calls', length: 'length', end: 'stop' }[stop];
    const usage = { prompt_tokens: USAGE.in, completion_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out, prompt_tokens_details: { cached_tokens: USAGE.cached } };
    const tc = call && [{ index: 0, id: id('call'), type: 'function', function: { name: call.name, arguments: call.args } }];
    const c = (delta, f = null) => [null, { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: f }] }];
    const events = [c({ role: 'assistant', content: '' })];
    for (const w of text.match(/\S+\s*/g) || []) events.push(c({ content: w }));
    if (tc) events.push(c({ tool_calls: tc }));
    events.push(c({}, fin), [null, { ...base, object: 'chat.completion.chunk', choices: [], usage }]);
    return { events, done: 'data: [DONE]\n\n', whole: { ...base, object: 'chat.completion', usage,
      choices: [{ index: 0, finish_reason: fin, message: { role: 'assistant', content: text || null, ...(tc && { tool_calls: tc }) } }] } };
  },
  responses({ text, call, stop }, model) {
    const rid = id('resp'), out = [], events = [];
    const r = (status, extra) => ({ id: rid, object: 'response', created_at: 1700000000, model, status, output: out, ...extra });
    const ev = (type, d) => events.push([type, { type, sequence_number: events.length, ...d }]);
    ev('response.created', { response: { ...r('in_progress'), output: [] } });
    if (text) {
      const m = { type: 'message', id: id('msg'), role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
      ev('response.output_item.added', { output_index: 0, item: { ...m, status: 'in_progress', content: [] } });
      ev('response.content_part.added', { item_id: m.id, output_index: 0, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } });
      for (const w of text.match(/\S+\s*/g)) ev('response.output_text.delta', { item_id: m.id, output_index: 0, content_index: 0, delta: w });
      ev('response.output_text.done', { item_id: m.id, output_index: 0, content_index: 0, text });
      out.push(m); ev('response.output_item.done', { output_index: 0, item: m });
    }
    if (call) {
      const f = { type: 'function_call', id: id('fc'), call_id: id('call'), name: call.name, arguments: call.args, status: 'completed' };
      ev('response.output_item.added', { output_index: out.length, item: { ...f, arguments: '', status: 'in_progress' } });
      ev('response.function_call_arguments.delta', { item_id: f.id, output_index: out.length, delta: call.args });
      ev('response.function_call_arguments.done', { item_id: f.id, output_index: out.length, arguments: call.args });
      out.push(f); ev('response.output_item.done', { output_index: out.length - 1, item: f });
    }
    const usage = { input_tokens: USAGE.in, input_tokens_details: { cached_tokens: USAGE.cached }, output_tokens: USAGE.out,
      output_tokens_details: { reasoning_tokens: 0 }, total_tokens: USAGE.in + USAGE.out };
    const last = stop === 'length' ? r('incomplete', { incomplete_details: { reason: 'max_output_tokens' }, usage }) : r('completed', { usage });
    ev(stop === 'length' ? 'response.incomplete' : 'response.completed', { response: last });
    return { events, done: '', whole: last };
  },
  messages({ text, call, stop }, model) {
    const stop_reason = { tool: 'tool_use', length: 'max_tokens', end: 'end_turn' }[stop];
    const usage = { input_tokens: USAGE.in - USAGE.cached, cache_read_input_tokens: USAGE.cached, cache_creation_input_tokens: 0, output_tokens: USAGE.out };
    const head = { id: id('msg'), type: 'message', role: 'assistant', model, stop_sequence: null };
    const events = [], content = [], ev = (type, d) => events.push([type, { type, ...d }]);
    ev('message_start', { message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } });
    if (text) {
      ev('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
      for (const w of text.match(/\S+\s*/g)) ev('content_block_delta', { index: 0, delta: { type: 'text_delta', text: w } });
      ev('content_block_stop', { index: 0 }); content.push({ type: 'text', text });
    }
    if (call) {
      const b = { type: 'tool_use', id: id('toolu'), name: call.name };
      ev('content_block_start', { index: content.length, content_block: { ...b, input: {} } });
      ev('content_block_delta', { index: content.length, delta: { type: 'input_json_delta', partial_json: call.args } });
      ev('content_block_stop', { index: content.length });
      let input; try { input = JSON.parse(call.args); } catch { input = {}; }
      content.push({ ...b, input });
    }
    ev('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: USAGE.out } });
    ev('message_stop', {});
    return { events, done: '', whole: { ...head, content, stop_reason, usage } };
  },
  gemini({ text, call, stop }, model) {
    const usageMetadata = { promptTokenCount: USAGE.in, candidatesTokenCount: USAGE.out, totalTokenCount: USAGE.in + USAGE.out, cachedContentTokenCount: USAGE.cached };
    let args; if (call) try { args = JSON.parse(call.args); } catch { args = {}; }
    const parts = [...(text ? [{ text }] : []), ...(call ? [{ functionCall: { name: call.name, args } }] : [])];
    const whole = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: stop === 'length' ? 'MAX_TOKENS' : 'STOP' }], usageMetadata, modelVersion: model };
    return { events: [[null, whole]], done: '', whole };
  },
};

function errorBody(wire, s) {
  if (wire === 'messages') return { type: 'error', error: { type: s.etype, message: s.message }, request_id: 'req_fake' };
  if (wire === 'gemini') return { error: { code: s.status, message: s.message, status: s.gstatus || { 429: 'RESOURCE_EXHAUSTED', 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND', 500: 'INTERNAL' }[s.status] || 'UNAVAILABLE' } };
  return { error: { message: s.message, type: s.etype, param: null, code: s.code } };
}
const toolsOf = (wire, b) => {
  const flat = wire === 'gemini' ? (b.tools || []).flatMap((t) => t.functionDeclarations || []) : (b.tools || []).map((t) => t.function || t);
  return flat.map((t) => ({ name: t.name || t.type, params: (t.parameters || t.input_schema || t.parametersJsonSchema || {}).properties || {} }));
};
const cwdIn = (raw) => raw.match(/(?:<cwd>|[Ww]orking directory: |working in the directory: |Workspace Directories:\*\*\\n {2}- )(\/[^\s"'<>\\,`]+)/)?.[1];
const json = (res, code, o, h = {}) => { res.writeHead(code, { 'content-type': 'application/json', ...h }); res.end(JSON.stringify(o)); };

const server = http.createServer((req, res) => {
  let raw = '';
  req.on('data', (d) => (raw += d)).on('end', () => {
    const url = req.url.split('?')[0];
    if (url === '/__log') return json(res, 200, log);
    if (url === '/__script') { script = JSON.parse(raw); pos = used = 0; log = []; return json(res, 200, { ok: true }); }
    const wire = /chat\/completions$/.test(url) ? 'chat' : /responses$/.test(url) ? 'responses' : /messages$/.test(url) ? 'messages' : /[gG]enerateContent$/.test(url) ? 'gemini' : '';
    const entry = { t: (Date.now() - t0) / 1000, method: req.method, url: req.url, wire };
    const note = () => { log.push(entry); if (LOG) fs.appendFileSync(LOG, JSON.stringify(entry) + '\n'); };
    if (!wire || req.method !== 'POST') {
      note();
      if (/models(\/[^:]*)?$/.test(url)) return json(res, 200, { object: 'list', data: [{ id: 'fake-model', object: 'model', owned_by: 'fake' }], models: [] });
      if (/count_tokens$/.test(url)) return json(res, 200, { input_tokens: USAGE.in });
      if (/countTokens$/.test(url)) return json(res, 200, { totalTokens: USAGE.in });
      return json(res, 404, { error: { message: 'fakemodel: no such path ' + url } });
    }
    let b = {}; try { b = JSON.parse(raw || '{}'); } catch { /* logged as empty */ }
    const tools = toolsOf(wire, b), stream = wire === 'gemini' ? /stream/.test(url) : !!b.stream;
    const main = tools.length > 0; let step = main ? take() : peek().do === 'error' ? peek() : { do: 'final', text: 'Fake title' };
    if (step.where && raw.includes(step.where.has)) step = { ...step, ...step.where };
    Object.assign(entry, { main, stream, step: step.do, status: step.status, model: b.model, tools: tools.map((t) => t.name), bytes: raw.length });
    note();
    if (BODIES) fs.writeFileSync(`${BODIES}/${log.length}.json`, raw);
    if (step.do === 'hang') return;
    if (step.do === 'drop') return req.socket.destroy();
    if (step.do === 'error') return json(res, step.status, errorBody(wire, step), step.headers);
    if (step.do === 'garbage') { res.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' }); return res.end('<html><body>502 Bad Gateway</body></html>'); }
    const cwd = step.cwd || cwdIn(raw) || process.env.FAKEMODEL_CWD || '/the-request-names-no-working-directory';
    const p = plan(step.do === 'drop-mid' ? { do: 'final', text: step.text || 'I will now write the file and' } : step, tools, cwd);
    const r = wires[wire](p, b.model || 'fake-model');
    if (!stream) return json(res, 200, r.whole);
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const line = ([e, d]) => (e ? `event: ${e}\n` : '') + `data: ${JSON.stringify(d)}\n\n`;
    if (step.do === 'badsse') return res.end('data: {"id":"x","choices":[{"delta":{"content":"hel\n\n');
    if (step.do === 'drop-mid') { for (const e of r.events.slice(0, Math.max(2, r.events.length - 3))) res.write(line(e)); return setTimeout(() => req.socket.destroy(), 50); }
    const send = () => { for (const e of r.events) res.write(line(e)); res.end(r.done); };
    step.do === 'slow' ? setTimeout(send, step.ms || 5000) : send();
  });
});
server.listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume(); // ends with whoever started it
