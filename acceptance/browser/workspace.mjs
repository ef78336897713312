// A workspace with life in it, made by looprun itself: agents and checks are
// small scripts, so that every end and every wait there is can be had at will.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export const hostile = {
  title: `<script>document.title="owned"</script><b>bold</b>`,
  goal: `</pre><img src=x onerror="document.title='owned'">{{.}} ' " & \u202e`,
  file: `<img src=x onerror=alert(1)> 'a' "b" & c.txt`,
  line: `</code></div><script>document.title="owned"</script>\u001b[31mred\u001b[0m \u001b]0;owned\u0007`,
  quarantined: `"><img src=x onerror=alert(1)>?#%41.json`,
};

const agent = `#!/bin/sh
# Does what a file says: that of its task and try, else that of its task.
f="$ACTS/$LOOPRUN_TASK_ID-$LOOPRUN_TRY"
[ -e "$f" ] || f="$ACTS/$LOOPRUN_TASK_ID"
[ -e "$f" ] || f="$ACTS/default"
. "$f"
`;

// check NAME: one line "NAME: MARK" of todo.txt for each MARK that is missing.
const check = `#!/bin/sh
echo "1..$#"
n=0; bad=0
for mark; do
  n=$((n+1))
  if grep -q "$mark" todo.txt; then echo "ok $n - $mark"; else echo "not ok $n - $mark"; bad=1; fi
done
exit $bad
`;

const settings = (dir) => `version: 1
workspace: {dir: ${JSON.stringify(join(dir, "trees"))}}
generator:
  command: ["./agent.sh"]
  models: [large, small]
  env: {pass: [PATH, HOME, LANG], set: {ACTS: ${JSON.stringify(join(dir, "acts"))}}}
verification:
  baseline: false
  canary: false
  profiles:
    one: [{run: ["sh", "./check.sh", "plum"], format: tap}]
    three: [{run: ["sh", "./check.sh", "plum", "fig", "quince"], format: tap}]
    currency: [{run: ["sh", "./check.sh", "euro"], format: tap}]
stop: {max_rounds_per_task: 4, max_tries: 8}
sandbox: off
boundary: {protect: ["rules.txt"]}
recovery: {inline_wait: 1s, backoff: {base: 1s, jitter: none}}
`;

const report = (o) => `cat > "$LOOPRUN_REPORT" <<'END'\n${JSON.stringify(o)}\nEND\n`;
const spent = (n) => ({ usage: { input: 21000 * n, output: 1800 * n, cache_read: 90000, cache_write: 4000 }, cost_usd: (0.11 * n).toFixed(2) });

const acts = {
  default: `echo "I add what is asked for"; printf 'plum\\nfig\\nquince\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: "Added all fruit.", ...spent(1) })}`,
  "sell-plums-1": `echo "reading todo.txt"; echo "plums, in a word" >> notes.txt\n${report({ status: "candidate_ready", summary: "Wrote notes about plums.", approach: "notes first", ...spent(1) })}`,
  "sell-plums": `echo "the check wants a line in todo.txt"; sed -i 's/apple/apple tree/' todo.txt; printf 'plum\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: "Added plum to todo.txt and named the tree.", approach: "the line itself", ...spent(2) })}`,
  "all-fruit-1": `printf 'plum\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: "Plums first.", approach: "one fruit a round", ...spent(1) })}`,
  "all-fruit-2": `printf 'plum\\nfig\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: "Figs next.", approach: "two fruits", ...spent(1) })}`,
  "name-currency": `if grep -q "in euros" "$LOOPRUN_PROMPT_FILE"; then echo "a person said euro"; printf 'euro\\n' >> todo.txt; else echo "Which currency?"; echo "pounds?" >> todo.txt; fi\n${report({ status: "candidate_ready", summary: "Took a currency.", ...spent(1) })}`,
  "ask-first": `echo "I do not know enough"\n${report({ status: "needs_input", question: "Which trees are for sale: those of the north field, or all?", ...spent(0.2) })}`,
  "bend-rules": `echo "no rules" > rules.txt; printf 'plum\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: "The rules were in the way.", ...spent(1) })}`,
  "much-to-say": `i=0; while [ $i -lt 2600 ]; do i=$((i+1)); printf '\\033[3%dmline %d\\033[0m of much\\n' $((i%8)) $i; done; printf 'plum\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: "Said much." })}`,
  "cut-off-1": `echo "I begin"\n${report({ status: "failed", error: { code: "output_truncated", message: "the answer was cut" }, ...spent(0.5) })}exit 1\n`,
  "no-login": `echo "please log in" >&2\n${report({ status: "failed", error: { code: "auth", message: "the login has expired: run agent login" } })}exit 1\n`,
  "rate-limited": `${report({ status: "failed", error: { code: "rate_limited", message: "slow down", retry_after_s: 5400 } })}exit 1\n`,
  "see-me": `echo "first line"; while [ ! -e "$ACTS/go-on" ]; do sleep 0.05; done; echo "second line <b>"; while [ ! -e "$ACTS/end" ]; do sleep 0.05; done; printf 'plum\\n' >> todo.txt\n`,
  hostile: `printf '%s\\n' ${quote(hostile.line)}; printf 'x\\n' > ${quote(hostile.file)}; printf 'plum\\n<script>document.title="owned"</script>\\n' >> todo.txt\n${report({ status: "candidate_ready", summary: hostile.title })}`,
};

acts["name-currency-2"] = acts["name-currency"]; // its follow-up

function quote(text) { return "'" + text.replaceAll("'", `'\\''`) + "'"; }

const tasks = [
  { id: "sell-plums", title: "Sell plums", goal: "Plums stand in todo.txt.", verify: ["one"] },
  { id: "all-fruit", title: "Plums, figs and quinces", goal: "All three fruits stand in todo.txt, each on a line of its own.", verify: ["three"] },
  { id: "name-currency", title: "Name the currency", goal: "Every price ends with its currency.", verify: ["currency"] },
  { id: "ask-first", title: "Sell the trees", goal: "Put the trees for sale into todo.txt.", verify: ["one"] },
  { id: "bend-rules", title: "Allow prices in words", goal: "A price may be a word.", verify: ["one"] },
  { id: "much-to-say", title: "An agent that says much", goal: "Add plums.", verify: ["one"] },
  { id: "cut-off", title: "An answer that is cut off once", goal: "Add plums.", verify: ["one"] },
  { id: "hostile", title: hostile.title, goal: hostile.goal, verify: ["one"] },
];

// make builds the command, a repository, and works the tasks off.
export function make() {
  const dir = mkdtempSync(join(tmpdir(), "looprun-browser-"));
  const shop = join(dir, "orchard");
  const w = new Workspace(dir, shop);
  execFileSync("go", ["build", "-o", w.looprun, "./cmd/looprun"], { cwd: root, stdio: "inherit" });
  for (const d of ["acts", "home", "orchard/tasks/inbox"]) mkdirSync(join(dir, d), { recursive: true });
  const files = { "agent.sh": agent, "check.sh": check, "todo.txt": "apple\npear\n", "rules.txt": "A price is a number.\n", ".gitignore": "/tasks/\n/.loop/\n", "loop.yaml": settings(dir) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(shop, name), text);
  chmodSync(join(shop, "agent.sh"), 0o755);
  for (const [name, text] of Object.entries(acts)) writeFileSync(join(dir, "acts", name), text);
  const git = (...args) => execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgSign=false", ...args], { cwd: shop, env: w.env });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "The orchard");
  for (const t of tasks) w.drop(t);
  writeFileSync(join(shop, "tasks/inbox", hostile.quarantined), "not a task <b>");
  w.run("run");
  w.drop({ id: "rate-limited", title: "Wait for the provider", goal: "Add plums.", verify: ["one"] });
  w.run("run");
  w.drop({ id: "next-spring", title: "Not before spring", goal: "Add plums.", verify: ["one"], not_before: "2099-03-01T06:00:00Z" });
  w.drop({ id: "after-it", title: "After another", goal: "Add plums.", verify: ["one"], after: ["next-spring"] });
  return w;
}

class Workspace {
  constructor(dir, shop) {
    this.dir = dir;
    this.shop = shop;
    this.looprun = join(dir, "looprun");
    this.env = { ...process.env, HOME: join(dir, "home"), XDG_STATE_HOME: join(dir, "home"), GIT_CONFIG_NOSYSTEM: "1" };
    this.children = [];
  }

  // drop puts a task into the inbox as any program may: written, then moved.
  drop(task) { writeFileSync(join(this.shop, "tasks/inbox", task.id + ".json"), JSON.stringify(task)); }

  act(name) { writeFileSync(join(this.dir, "acts", name), ""); }

  // run runs a command to its end and gives what it printed, whatever its code.
  run(...args) {
    try {
      return execFileSync(this.looprun, args, { cwd: this.shop, env: this.env, stdio: ["ignore", "pipe", "pipe"] }).toString();
    } catch (e) {
      if (e.status === null || e.status === 64 || e.status === 78 || e.status === 1) throw new Error(`looprun ${args}: ${e.stderr}`);
      return e.stdout.toString();
    }
  }

  start(...args) {
    const child = spawn(this.looprun, args, { cwd: this.shop, env: this.env, stdio: ["ignore", "pipe", "inherit"] });
    this.children.push(child);
    return child;
  }

  // serve starts the dashboard and gives its address.
  async serve(...args) {
    const child = this.start("serve", "--listen", "127.0.0.1:0", ...args);
    const url = await new Promise((done, failed) => {
      let text = "";
      child.stdout.on("data", (d) => { text += d; if (text.includes("\n")) done(text.trim()); });
      child.on("exit", (code) => failed(new Error("serve ended with " + code)));
    });
    return url.replace(/\/$/, "");
  }

  async remove() {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const over = new Promise((done) => child.on("exit", done));
      child.kill("SIGTERM");
      await over;
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}
