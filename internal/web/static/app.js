// What pages do beside being read: they change by themselves while they are
// open, and obey a few keys. Without this file everything else works.
"use strict";

const body = document.body;
const $ = (id) => document.getElementById(id);

// Times: the server wrote them out; here they are told from now.
function rough(ms) {
  const s = Math.floor(ms / 1000);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min";
  if (s < 48 * 3600) return Math.floor(s / 3600) + " h";
  return Math.floor(s / 86400) + " d";
}

function tellTimes() {
  const now = Date.now();
  for (const t of document.querySelectorAll("time[data-ago], time[data-due]")) {
    const d = now - Date.parse(t.dateTime);
    const text = d >= 0 ? rough(d) + " ago" : "in " + rough(-d);
    if (t.textContent !== text) t.textContent = text;
  }
}

// Live: an event only says that something changed. The page is then fetched
// again, and the parts of it that differ take the place of the old ones.
let version = Number(body.dataset.version || 0);
let pending = 0;
let busy = false;
let again = false;

function changed(part, fresh) {
  const old = part.cloneNode(true);
  const undo = (root) => {
    for (const t of root.querySelectorAll("time[data-ago], time[data-due]")) t.textContent = "";
    for (const d of root.querySelectorAll("details")) d.removeAttribute("open");
    return root.innerHTML;
  };
  return undo(old) !== undo(fresh.cloneNode(true));
}

function replace(part, fresh) {
  const active = document.activeElement;
  const within = part.contains(active) ? active.getAttribute("href") || active.id : null;
  const open = [...part.querySelectorAll("details")].map((d) => d.open);
  part.replaceChildren(...fresh.childNodes);
  part.querySelectorAll("details").forEach((d, i) => { if (open[i]) d.open = true; });
  if (within) {
    const same = [...part.querySelectorAll("a, button, summary, input")].find((e) => (e.getAttribute("href") || e.id) === within);
    if (same) same.focus({ preventScroll: true });
  }
}

async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { "X-Live": "1" }, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const parts = [...document.querySelectorAll("[data-part]")];
    if (parts.some((p) => !page.getElementById(p.id)) && !typing(document)) { location.reload(); return; }
    for (const part of parts) {
      const fresh = page.getElementById(part.id);
      if (fresh && changed(part, fresh) && !typing(part)) replace(part, fresh);
    }
    tellTimes();
  } catch { /* the server is away: the stream connects again and brings a new version */ }
  busy = false;
  if (again) { again = false; refresh(); }
}

// What somebody has typed and not sent stays, whatever happens.
function typing(part) {
  return [...part.querySelectorAll("textarea, input:not([type=hidden]):not([type=search])")].some((e) => e.value !== e.defaultValue);
}

function concerns(change) {
  const about = body.dataset.live;
  return about === "*" || !change.tasks || change.tasks.includes(about);
}

function heed(event) {
  const change = JSON.parse(event.data);
  const missed = change.version !== version + (event.type === "change" ? 1 : 0);
  version = change.version;
  if (change.what) $("news").textContent = change.what.join(". ");
  if (event.type === "hello" && !missed) return;
  if (!missed && !concerns(change)) return;
  clearTimeout(pending);
  pending = setTimeout(refresh, document.hidden ? 1000 : 60);
}

function live() {
  const pulse = $("pulse");
  const stream = new EventSource("/events");
  stream.onopen = () => { pulse.hidden = false; pulse.textContent = "live"; pulse.classList.remove("lost"); };
  stream.onerror = () => { pulse.hidden = false; pulse.textContent = "not connected"; pulse.classList.add("lost"); };
  stream.addEventListener("hello", heed);
  stream.addEventListener("change", heed);
  addEventListener("pagehide", () => stream.close());
}

// A log that grows: what comes is text and stays text.
function follow(log) {
  const box = $("follow");
  box.closest("label").hidden = false;
  let n = Number(log.dataset.next);
  const end = () => { if (box.checked) log.scrollTop = log.scrollHeight; };
  const add = (text) => {
    const lines = text.split("\n");
    if (lines[lines.length - 1] === "") lines.pop();
    for (const line of lines) {
      const row = document.createElement("div");
      row.className = "ll new";
      row.id = "L" + ++n;
      const number = document.createElement("a");
      number.className = "ln";
      number.href = "#" + row.id;
      number.textContent = n;
      number.setAttribute("aria-label", "Line " + n);
      const code = document.createElement("code");
      code.textContent = line;
      row.append(number, code);
      log.append(row);
    }
    while (log.childElementCount > 5000) log.firstElementChild.remove();
    end();
  };
  const stream = new EventSource(log.dataset.follow);
  stream.addEventListener("lines", (e) => add(JSON.parse(e.data).text));
  stream.addEventListener("over", (e) => {
    stream.close();
    box.closest("label").hidden = true;
    const { next } = JSON.parse(e.data);
    const told = $("next-log");
    told.hidden = false;
    if (!next) { told.textContent = "The log is complete."; return; }
    const link = document.createElement("a");
    link.href = location.pathname + "?" + new URLSearchParams({ file: next });
    link.textContent = "The log of the next try";
    told.append(link);
  });
  stream.onerror = () => stream.close(); // an offset is good once: a reload goes on
  box.addEventListener("change", end);
  addEventListener("pagehide", () => stream.close());
  end();
}

// Keys.
function step(by) {
  const all = [...document.querySelectorAll("[data-step]")].filter((e) => e.offsetParent);
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  const to = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  to.focus();
  to.scrollIntoView({ block: "nearest" });
}

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const key = { "/": () => $("find").focus(), j: () => step(1), k: () => step(-1), b: () => location.assign("/"), t: () => location.assign("/tasks") }[e.key];
  if (!key) return;
  e.preventDefault();
  key();
});

for (const select of document.querySelectorAll("form.filter select")) {
  select.addEventListener("change", () => select.form.submit());
}

tellTimes();
setInterval(tellTimes, 5000);
if (body.dataset.live) live();
const log = document.querySelector("[data-follow]");
if (log) follow(log);
