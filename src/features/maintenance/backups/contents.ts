/** The contents of files in a backup. Their names contain their SHA-256, so that each is checked when it is copied. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { ReadSize } from '../checking/content-check.js';
import { FileStorageError, hashOfKey, isStorageKey, type FileStorage } from '../../../files/file-storage.js';
import { makeFolder } from '../../../system/make-folder.js';
import { CONTENT_LIST, CONTENTS, hashOfFile, type Manifest } from './manifest.js';

/** The contents of a backup. */
export class CopiedContents {
  /** Their bytes, by their keys. */
  readonly bytes = new Map<string, number>();
  /** The keys of contents that differ from their names, and are left out. */
  readonly damaged = new Set<string>();

  constructor(
    private readonly storage: FileStorage,
    private readonly folder: string,
  ) {}

  /** Copies the contents that the backup does not have. One that is removed meanwhile is left out. */
  async copyNew(): Promise<void> {
    for await (const keys of this.storage.keys?.() ?? []) {
      for (const key of keys) {
        if (isStorageKey(key) && !this.bytes.has(key) && !this.damaged.has(key)) await this.#copy(key);
      }
    }
  }

  /** The size of a content that is in the backup, arrived later, or is counted as damaged. */
  readonly readSize: ReadSize = async (key, expected) =>
    this.damaged.has(key) ? expected : (this.bytes.get(key) ?? this.storage.size(key));

  async #copy(key: string): Promise<void> {
    const path = join(this.folder, CONTENTS, key);
    const bytes = await this.storage.size(key);
    if (bytes === null) return;
    makeFolder(dirname(path));
    const hash = createHash('sha256');
    try {
      const content = await this.storage.read(key, { start: 0, end: bytes - 1 });
      content.on('data', (chunk: Buffer) => hash.update(chunk));
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    } catch (error) {
      await rm(path, { force: true });
      if (error instanceof FileStorageError && error.fault === 'MISSING') return;
      throw error;
    }
    if (hash.digest('hex') === hashOfKey(key)) this.bytes.set(key, bytes);
    else {
      this.damaged.add(key);
      await rm(path);
    }
  }
}

export async function writeContentList(folder: string, { bytes: copied }: CopiedContents): Promise<void> {
  const file = await open(join(folder, CONTENT_LIST), 'wx', 0o600);
  try {
    for (const [key, bytes] of copied) await file.write(`${JSON.stringify({ key, bytes })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The contents of a backup, from its checked list. */
export async function* listedContents(folder: string): AsyncGenerator<{ key: string; bytes: number }> {
  for await (const line of createInterface({ input: createReadStream(join(folder, CONTENT_LIST)) })) {
    yield JSON.parse(line) as { key: string; bytes: number };
  }
}

/**
 * Compares every content with its name.
 * @throws Error when one is missing or altered
 */
export async function checkBackupContents(
  folder: string,
  { contents }: Manifest,
  onChecked: (done: number, all: number) => void,
): Promise<void> {
  if (contents === null) return;
  let done = 0;
  for await (const { key, bytes } of listedContents(folder)) {
    const path = join(folder, CONTENTS, key);
    const { size = null } = (await stat(path).catch(() => null)) ?? {};
    if (size === null) throw new Error(`The backup ${folder} is incomplete: ${CONTENTS}/${key} is missing`);
    if (size !== bytes || (await hashOfFile(path)) !== hashOfKey(key)) {
      throw new Error(`The backup ${folder} was altered: ${CONTENTS}/${key} has another content`);
    }
    onChecked((done += bytes), contents.contentBytes);
  }
}
