// The dashboard in a browser, as people use it. CHROMIUM names the browser;
// SHOTS=FOLDER keeps a picture of each page, to be looked at.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { hostile, make } from "./workspace.mjs";

const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let shop, base, readOnly, browser;

before(async () => {
  shop = make();
  base = await shop.serve("--write");
  readOnly = await shop.serve();
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  await shop?.remove();
});

// open gives a page in which nothing may go wrong unnoticed: an error of a
// script or of the policy fails the test. That a form was refused is no error.
async function open(t, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  const wrong = [];
  page.asked = [];
  page.on("pageerror", (e) => wrong.push(e.message));
  page.on("console", (m) => { if (m.type() === "error" && !m.text().includes("status of 422")) wrong.push(m.text()); });
  page.on("dialog", (d) => { wrong.push("a dialog: " + d.message()); d.dismiss(); });
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, [], "errors of the page");
  });
  page.on("request", (r) => page.asked.push(r.url()));
  await page.goto(/^(http|file):/.test(path) ? path : base + path);
  return page;
}

test("from the board to a task, its diff and its logs", async (t) => {
  const page = await open(t, "/");
  await page.getByRole("region", { name: "done" }).getByRole("link", { name: "all-fruit" }).click();
  await page.getByRole("heading", { name: "all-fruit" }).waitFor();
  assert.deepEqual(await page.locator(".round h3").allInnerTexts(), ["Round 3", "Round 2", "Round 1"]);

  const second = page.locator("#round-2");
  assert.match(await second.getByRole("region", { name: "Evidence of round 1" }).innerText(), /check\.sh plum fig quince[^]*fig[^]*quince/);
  assert.match(await second.getByRole("region", { name: "Plan of round 2" }).innerText(), /strategy replan/);
  assert.match(await second.getByRole("region", { name: "Decision" }).innerText(), /retry[^]*chain[^]*shrinking/);
  assert.match(await second.getByRole("region", { name: "Generator" }).innerText(), /\$0\.11/);

  await second.getByRole("link", { name: "1 file, 2 lines changed" }).click();
  await page.getByRole("heading", { name: "What round 2 changed" }).waitFor();
  assert.deepEqual(await page.locator("tr.added .src").allInnerTexts(), ["plum", "fig"]);
  await page.getByRole("link", { name: "Round 1", exact: true }).click();
  assert.deepEqual(await page.locator("tr.added .src").allInnerTexts(), ["plum"]);

  await page.goto(base + "/tasks/much-to-say");
  await page.getByRole("link", { name: "Log" }).click();
  assert.equal(await page.locator(".ll code").last().innerText(), "line 2600 of much");
  await page.getByRole("searchbox", { name: "Search" }).fill("LINE 1370");
  await page.getByRole("button", { name: "Show" }).click();
  assert.deepEqual(await page.locator(".ll code").allInnerTexts(), ["line 1370 of much"]);
  assert.equal(await page.locator("mark").innerText(), "line 1370");
  await page.getByRole("link", { name: "Line 1370" }).click();
  assert.match(page.url(), /line=1370#L1370$/);
  assert.ok(await page.locator("#L1370").isVisible());
});

test("two rounds that count as the same failure stand side by side", async (t) => {
  const page = await open(t, "/tasks/name-currency");
  await page.getByRole("link", { name: "The same failure as round 1: side by side" }).click();
  await page.getByText("the same failure", { exact: true }).waitFor();
  assert.deepEqual(await page.getByRole("region", { name: "What was hashed" }).locator("tbody tr td:nth-child(4)").allInnerTexts(), ["equal", "equal", "equal", "equal"]);
});

test("an answer makes a follow-up, which ends as it was answered", async (t) => {
  const page = await open(t, "/tasks/name-currency");
  await page.getByRole("textbox", { name: "Your answer" }).fill("Prices are in euros.");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("Answered: name-currency-2 goes on with it.").waitFor();
  assert.match(page.url(), /\/tasks\/name-currency-2$/);
  shop.run("run");
  await page.getByRole("heading", { name: "name-currency-2 done" }).waitFor({ timeout: 3000 });
  assert.match(await page.getByRole("main").innerText(), /The answer it was given[^]*Prices are in euros\./);
});

test("a task that changes state is seen within a second, and its log line by line", async (t) => {
  const board = await open(t, "/");
  await board.getByText("live", { exact: true }).waitFor();
  shop.drop({ id: "see-me", title: "Seen live", goal: "Add plums.", verify: ["one"] });
  const work = board.getByRole("region", { name: "in work" });
  const run = shop.start("run");
  await work.getByText("generating").waitFor({ timeout: 5000 });

  const log = await open(t, "/tasks/see-me/log");
  await log.getByText("first line").waitFor();
  shop.act("go-on");
  await log.getByText("second line <b>").waitFor({ timeout: 1000 });

  const task = await open(t, "/tasks/see-me");
  await task.getByText("live", { exact: true }).waitFor();
  const seen = [
    board.getByRole("region", { name: "done" }).getByRole("link", { name: "see-me" }).waitFor({ timeout: 10000 }).then(() => Date.now()),
    task.getByRole("heading", { name: "see-me done" }).waitFor({ timeout: 10000 }).then(() => Date.now()),
  ];
  shop.act("end");
  await new Promise((done) => run.on("exit", done));
  const result = JSON.parse(shop.run("show", "see-me", "--json"));
  const journal = readFileSync(join(shop.shop, ".loop/tasks/see-me/journal.jsonl"), "utf8").trim().split("\n");
  const finished = Date.parse(JSON.parse(journal.at(-1)).at);
  assert.equal(result.state.status, "done");
  const times = await Promise.all(seen);
  t.diagnostic(`seen ${times.map((at) => at - finished).join(" and ")} ms after its end`);
  for (const at of times) assert.ok(at - finished < 1000, `seen ${at - finished} ms after its end`);
  assert.match(await board.locator("#news").innerText(), /see-me/);
  await log.getByText("The log is complete.").waitFor({ timeout: 3000 });
});

test("what tasks, agents and files say is text wherever it is shown", async (t) => {
  const page = await open(t, "/");
  const paths = ["/", "/tasks", "/tasks/hostile", "/tasks/hostile/rounds/1/diff", "/tasks/hostile/log", "/report", "/quarantine/" + encodeURIComponent(hostile.quarantined), "/tasks?q=" + encodeURIComponent(hostile.title)];
  for (const path of paths) {
    await page.goto(base + path);
    assert.notEqual(await page.title(), "owned", path);
    assert.equal(await page.locator("main img, main script, main b, header img").count(), 0, path);
  }
  await page.goto(base + "/tasks/hostile");
  const text = await page.getByRole("main").innerText();
  assert.ok(text.includes(hostile.title), "the title as it is");
  assert.ok(text.includes(hostile.file), "the name of the file as it is");
  assert.ok(!text.includes("\u202e"), "nothing turns the direction");
  await page.goto(base + "/tasks/hostile/log");
  assert.equal(await page.locator(".ll code").first().innerText(), `</code></div><script>document.title="owned"</script>red `);
  await page.goto(base + "/tasks/hostile/rounds/1/diff");
  assert.ok((await page.locator(".file h2 .path").allInnerTexts()).includes(hostile.file));
  assert.ok((await page.locator("tr.added .src").allInnerTexts()).includes(`<script>document.title="owned"</script>`));
  await page.goto(base + "/");
  await page.getByRole("link", { name: hostile.quarantined }).click();
  await page.getByText("This file is no task and was put aside.").waitFor();
});

test("without --write there is nothing to press, and nothing is taken", async (t) => {
  const page = await open(t, readOnly + "/tasks/ask-first");
  assert.equal(await page.locator("main button, main form").count(), 0);
  await page.getByText('looprun answer ask-first --text "..."').waitFor();
  const answer = await page.request.post(readOnly + "/tasks/ask-first/answer", { form: { text: "all" }, headers: { Origin: readOnly } });
  assert.equal(answer.status(), 403);
});

test("a new task, a pause and its end, a retry and a cancel", async (t) => {
  const page = await open(t, "/add");
  await page.getByRole("textbox", { name: /^Id / }).fill("Bad Id");
  await page.getByLabel("Goal").fill("Add plums.");
  await page.getByRole("button", { name: "Add the task" }).click();
  assert.match(await page.getByRole("alert").innerText(), /id/);
  assert.equal(await page.getByLabel("Goal").inputValue(), "Add plums.");
  await page.getByRole("textbox", { name: /^Id / }).fill("by-hand");
  await page.getByLabel("Profiles that decide").fill("one");
  await page.getByRole("button", { name: "Add the task" }).click();
  await page.getByText("Added: by-hand waits in the inbox.").waitFor();

  await page.goto(base + "/");
  await page.locator("summary", { hasText: "Pause" }).click();
  await page.getByLabel("Until").fill("2h");
  await page.getByLabel("Why").fill("the <b>line</b> is down");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: nothing new is started.").waitFor();
  assert.equal(JSON.parse(shop.run("status", "--json")).pause_reason, "the <b>line</b> is down");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Resumed: the next run goes on.").waitFor();
  assert.equal(JSON.parse(shop.run("status", "--json")).paused, false);

  await page.goto(base + "/tasks/bend-rules");
  await page.locator("summary", { hasText: "Try again" }).click();
  await page.getByLabel("More rounds").fill("2");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Tried again as bend-rules-2.").waitFor();

  await page.goto(base + "/tasks/rate-limited");
  await page.locator("summary", { hasText: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel this task" }).click();
  await page.getByText("Cancelled: rate-limited ends, its records stay.").waitFor();
  await page.getByRole("heading", { name: "rate-limited blocked" }).waitFor({ timeout: 3000 });
});

test("keys lead through the pages", async (t) => {
  const page = await open(t, "/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const first = await page.evaluate(() => document.activeElement.getAttribute("href"));
  assert.match(first, /^\/tasks\//);
  await page.keyboard.press("Enter");
  await page.waitForURL("**" + first);
  await page.keyboard.press("/");
  await page.keyboard.type("fruit");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/tasks?q=fruit");
  assert.deepEqual(await page.locator("tbody a.id").allInnerTexts(), ["all-fruit"]);
});

test("without script the pages say the same", async (t) => {
  const page = await open(t, "/", { javaScriptEnabled: false });
  await page.getByRole("link", { name: "name-currency", exact: true }).click();
  await page.getByRole("heading", { name: "name-currency needs input" }).waitFor();
  await page.getByRole("link", { name: "Log" }).first().click();
  await page.getByText("Which currency?").waitFor();
  await page.goto(base + "/tasks/ask-first");
  await page.getByLabel("Your answer").fill("Those of the north field.");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("Answered: ask-first-2 goes on with it.").waitFor();
});

test("pages and report are fit for assistive technology, small screens, the dark and paper", async (t) => {
  shop.drop({ id: "no-login", title: "A login that has expired", goal: "Add plums.", verify: ["one"] });
  shop.run("run");
  const file = join(shop.dir, "report.html");
  writeFileSync(file, shop.run("report"));
  const paths = ["/", "/tasks", "/tasks?stage=inbox", "/tasks?q=nothing-has-this", "/tasks/all-fruit", "/tasks/name-currency", "/tasks/no-login", "/tasks/next-spring", "/tasks/all-fruit/rounds/2/diff",
    "/tasks/much-to-say/log", "/tasks/much-to-say/log?q=137&file=attempts/round-001/try-01.stdout", "/tasks/name-currency/compare", "/breakers", "/report", "/add", "file://" + file];
  const screens = [[1280, "light"], [390, "dark"]];
  if (process.env.SHOTS) screens.push([1280, "dark"], [390, "light"]);
  for (const [width, colorScheme] of screens) {
    const page = await open(t, "/", { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    for (const path of paths) {
      await page.goto(path.startsWith("file:") ? path : base + path);
      const { violations } = await page.evaluate(axe + "; axe.run(document, { resultTypes: ['violations'] })");
      const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
      assert.deepEqual(serious.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))]), [], `${path} at ${width}, ${colorScheme}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${path} is ${wide} pixels wider than a screen of ${width}`);
      if (process.env.SHOTS) await shoot(page, path, `${width}-${colorScheme}`);
    }
  }
});

async function shoot(page, path, suffix) {
  mkdirSync(process.env.SHOTS, { recursive: true });
  const name = path.startsWith("file:") ? "report-file" : path.replace(/[^a-z0-9]+/gi, "_");
  await page.screenshot({ path: join(process.env.SHOTS, `${name}-${suffix}.png`), fullPage: true });
}

test("the report reads without script and loads nothing", async (t) => {
  const file = join(shop.dir, "alone.html");
  writeFileSync(file, shop.run("report", "--since", "24h"));
  const page = await open(t, "file://" + file, { javaScriptEnabled: false });
  await page.getByRole("heading", { name: "Which strategy worked" }).waitFor();
  assert.equal(await page.getByRole("img").count(), 3);
  assert.equal(await page.locator("main script, main img, main b").count(), 0);
  assert.deepEqual(page.asked, ["file://" + file]);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10000);
});
