/**
 * The manifest of a backup, which is written last. It has the sizes and checksums of the other files, so that an incomplete
 * or altered backup is refused.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

export const MANIFEST = 'manifest.json';
/** The names and sizes of the contents: a JSON line each. */
export const CONTENT_LIST = 'files.jsonl';
/** The folder of the contents, by their storage keys. */
export const CONTENTS = 'files';

const FORMAT_VERSION = 1;

const partOf = z.object({ name: z.string(), bytes: z.number(), sha256: z.string() });
export type BackupPart = z.infer<typeof partOf>;

const manifestOf = z.object({
  format: z.literal('parley-backup'),
  version: z.literal(FORMAT_VERSION),
  /** The version of Parley. */
  writtenBy: z.string(),
  createdAt: z.string(),
  provider: z.enum(['sqlite', 'postgresql']),
  /** The schema of PostgreSQL. */
  schema: z.string().nullable(),
  migrations: z.array(z.string()),
  database: partOf,
  /** Null when the contents of files are in the database or a bucket. */
  contents: partOf.extend({ count: z.number(), contentBytes: z.number() }).nullable(),
});
export type Manifest = z.infer<typeof manifestOf>;

export async function writeManifest(
  folder: string,
  manifest: Omit<Manifest, 'format' | 'version' | 'createdAt'>,
): Promise<void> {
  const complete = {
    format: 'parley-backup',
    version: FORMAT_VERSION,
    createdAt: new Date().toISOString(),
    ...manifest,
  } satisfies Manifest;
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(complete, null, 2)}\n`, { flush: true, mode: 0o600 });
}

/**
 * Reads the manifest, and compares the database and the list of contents with it.
 * @throws Error when the folder is not a complete, unaltered backup
 */
export async function readManifest(folder: string): Promise<Manifest> {
  if (!existsSync(folder)) throw new Error(`${folder} does not exist: restore takes the folder of a backup`);
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => null);
  if (text === null) throw new Error(`${folder} is not a complete backup: it has no ${MANIFEST}`);
  const { data: manifest } = manifestOf.safeParse(jsonOf(text));
  if (manifest === undefined) {
    throw new Error(`${folder} has a ${MANIFEST} that this version of Parley cannot read`);
  }
  for (const part of [manifest.database, ...(manifest.contents === null ? [] : [manifest.contents])]) {
    await checkPart(folder, part);
  }
  return manifest;
}

/** Measures a file of a backup. */
export async function measured(folder: string, name: string): Promise<BackupPart> {
  const path = join(folder, name);
  return { name, bytes: (await stat(path)).size, sha256: await hashOfFile(path) };
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

async function checkPart(folder: string, { name, bytes, sha256 }: BackupPart): Promise<void> {
  const actual = await measured(folder, name).catch(() => null);
  if (actual === null) throw new Error(`The backup ${folder} is incomplete: ${name} is missing`);
  if (actual.bytes !== bytes || actual.sha256 !== sha256) {
    throw new Error(`The backup ${folder} was altered: ${name} does not match ${MANIFEST}`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
