import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the size and the checksum of the database of a backup, as if it had been damaged when it was backed up. */
export function adoptDatabase(target: string): void {
  const path = join(target, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { database: { name: string } };
  const content = readFileSync(join(target, manifest.database.name));
  const sha256 = createHash('sha256').update(content).digest('hex');
  const database = { ...manifest.database, bytes: content.length, sha256 };
  writeFileSync(path, JSON.stringify({ ...manifest, database }));
}
