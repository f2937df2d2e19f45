/**
 * Prints each failed test of vitest's JSON reports with its error, then the counts in one line, and fails unless a test
 * passed and none failed. A file that could not be loaded, and so has no tests to count, counts as one that failed; so
 * does a missing report, or an empty one.
 */
import { existsSync, readFileSync } from 'node:fs';

const reports = process.argv
  .slice(2)
  .map((path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : []));
const files = reports.flat();

const tests = files.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === 'passed').length;
const failedTests = tests.filter((test) => test.status === 'failed').length;
const skipped = tests.length - passed - failedTests;

const brokenFiles = files.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
// At the end of the output, where a long log is read first.
for (const file of files.filter(({ status }) => status === 'failed')) {
  console.log(`\nFailed: ${file.name}\n${file.message}`);
  for (const test of file.assertionResults.filter(({ status }) => status === 'failed')) {
    console.log(`Failed: ${file.name}\n  ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 2_000)}`);
  }
}

const failed = failedTests + brokenFiles + reports.filter((report) => report.length === 0).length;

console.log(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
