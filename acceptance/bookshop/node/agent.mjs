// Stands in for a coding agent, so that looprun can be tried without one. It
// follows a script: it knows two tasks, gets one of them wrong at first, and
// never gets on with the other. All that it learns, it learns as a real agent
// would: from variables and from the plan that looprun wrote. It edits one file
// of the tree and writes one report; looprun believes none of it: the checks
// decide.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { LOOPRUN_TASK_ID, LOOPRUN_ROUND, LOOPRUN_PLAN, LOOPRUN_REPORT } = process.env;

const report = work(LOOPRUN_TASK_ID, Number(LOOPRUN_ROUND), LOOPRUN_PLAN);
console.log(report.summary);
writeFileSync(LOOPRUN_REPORT, JSON.stringify(report));

// work is one round: what a real agent would ask a model for.
function work(task, round, planFile) {
  if (task === 'issue-005') return round === 1 ? claimDone() : learn(planFile);
  if (task === 'issue-006') {
    return {
      status: 'candidate_ready',
      summary: 'It is unclear how a query names a publisher; nothing was changed.',
      approach: 'look for a convention in the code and in the tests',
    };
  }
  return {
    status: 'needs_input',
    summary: 'This task is not in the script.',
    question: 'The scripted agent knows issue-005 and issue-006 only. Name your own agent in loop.yaml, under generator?',
  };
}

// claimDone is the mistake of the first round.
function claimDone() {
  return {
    status: 'candidate_ready',
    summary: 'The search folds case and width already, and that takes care of accents; nothing was changed.',
    approach: 'rely on the folding of case and width',
  };
}

// learn edits the search if the plan shows that the check for accents failed.
// Without that it would be guessing, so it asks.
function learn(planFile) {
  const failure = failureOf('diacritic', planFile);
  if (!failure) {
    return {
      status: 'needs_input',
      summary: 'The plan holds no failure of the check for accents; nothing was changed.',
      question: 'What did the last round show?',
    };
  }
  foldAccents();
  return {
    status: 'candidate_ready',
    summary: `The search now folds accents, as this check asks: ${failure.id}`,
    approach: 'take accented letters apart and drop the accents',
  };
}

// failureOf finds the first failure of a check, by the check's command or by
// the name of the test.
function failureOf(check, planFile) {
  if (!planFile) return undefined;
  const plan = JSON.parse(readFileSync(planFile, 'utf8'));
  for (const { argv, failures } of plan.new_evidence?.failed_commands ?? []) {
    const found = failures.find(({ id }) => [...argv, id].join(' ').toLowerCase().includes(check));
    if (found) return found;
  }
  return undefined;
}

// foldAccents makes the edit. Where it was made already, as by a try that was
// interrupted, it does nothing.
function foldAccents() {
  const before = ".normalize('NFKC')\n";
  const after = ".normalize('NFKD')\n    .replace(/\\p{M}/gu, '')\n";
  const file = find('src/search.mjs', 'acceptance/bookshop/node/src/search.mjs');
  const source = readFileSync(file, 'utf8');
  if (source.includes(after)) return;
  if (!source.includes(before)) throw new Error(`edit ${file}: it does not hold ${before.trim()}`);
  writeFileSync(file, source.replace(before, () => after));
}

// find looks for a file by each of its names, in the working directory and
// then upwards: the agent may be started at the top of the tree or below it.
function find(...names) {
  for (let dir = process.cwd(); ; dir = dirname(dir)) {
    const file = names.map((name) => join(dir, name)).find(existsSync);
    if (file) return file;
    if (dirname(dir) === dir) throw new Error(`find source: no ${names[0]} here or above`);
  }
}
