/**
 * `report.mjs STEPS REPORT…` prints the times of the steps and the slowest test files, each failed test of vitest's JSON
 * reports with its error, the steps above their budgets, then the counts in one line. It fails unless a test passed and none
 * failed. A file that could not be loaded, and so has no tests to count, counts as one that failed; so does a missing report,
 * or an empty one. A step above its budget fails nothing, because processors differ.
 *
 * A line of STEPS has the name of a step, its budget in processor seconds, its report or nothing, and its seconds: real, user and
 * system, between tabs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 20;

const [stepsFile, ...reportFiles] = process.argv.slice(2);
const filesOf = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : []);
const reports = reportFiles.map(filesOf);
const files = reports.flat();

const steps = readFileSync(stepsFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [name, budget, report, real, user, system] = line.split('\t');
    return { name, report, budget: Number(budget), seconds: Number(real), processor: Number(user) + Number(system) };
  });

printTable('Step | Seconds | Processor seconds | Budget', [
  ...steps.map(({ name, seconds, processor, budget }) => [name, seconds, processor, budget]),
  ['All', ...['seconds', 'processor', 'budget'].map((key) => steps.reduce((sum, step) => sum + step[key], 0))],
]);
printTable('Slowest test file | Seconds', slowestOf(files, SLOWEST));

const tests = files.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === 'passed').length;
const failedTests = tests.filter((test) => test.status === 'failed').length;
const skipped = tests.length - passed - failedTests;

const brokenFiles = files.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
// At the end of the output, where a long log is read first.
for (const file of files.filter(({ status }) => status === 'failed')) {
  if (file.message) console.log(`\nFailed: ${file.name}\n${file.message}`);
  for (const test of file.assertionResults.filter(({ status }) => status === 'failed')) {
    console.log(`\nFailed: ${file.name}\n  ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 2_000)}`);
  }
}

for (const { name, processor, budget, report } of steps.filter(({ processor, budget }) => processor > budget)) {
  const slowest = slowestOf(filesOf(report), 3).map(([path, seconds]) => `${path} (${seconds.toFixed(0)} s)`);
  const ofTests = slowest.length === 0 ? '' : `; its slowest files: ${slowest.join(', ')}`;
  console.log(`Above its budget: ${name} took ${processor.toFixed(0)} of ${budget} processor seconds${ofTests}`);
}

const failed = failedTests + brokenFiles + reports.filter((report) => report.length === 0).length;

console.log(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;

/** The slowest files, as rows of path and seconds. A file that runs on several databases has the sum. */
function slowestOf(results, count) {
  const seconds = new Map();
  for (const { name, startTime, endTime } of results) {
    const path = relative('.', name);
    seconds.set(path, (seconds.get(path) ?? 0) + (endTime - startTime) / 1000);
  }
  return [...seconds].sort(([, a], [, b]) => b - a).slice(0, count);
}

function printTable(header, rows) {
  const cells = rows.map(([name, ...numbers]) => [name, ...numbers.map((number) => number.toFixed(0))]);
  const columns = header.split(' | ');
  console.log();
  for (const row of [columns, columns.map(() => '---'), ...cells]) console.log(`| ${row.join(' | ')} |`);
}
