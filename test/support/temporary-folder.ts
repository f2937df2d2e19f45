import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The path of a SQLite file that does not exist yet. */
export function temporaryFile(): string {
  return join(temporaryFolder(), 'parley.db');
}
