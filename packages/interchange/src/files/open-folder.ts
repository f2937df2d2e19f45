/** The conversations in an unpacked export. */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ConversationNames, MAX_MANIFEST_BYTES } from './conversation-names.js';
import type { SourceFile, SourceText } from './source-text.js';
import { textDigest } from './text-digest.js';
import { UnreadableError } from './unreadable.js';
import { openPart } from './zip/zip-file.js';
import { openPartFiles } from './zip/zipped-parts.js';

/** @throws UnreadableError when no file of it can hold conversations */
export async function openFolder(path: string, readBytes: number): Promise<SourceFile> {
  const names = new ConversationNames<string>();
  let manifest: string | null = null;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(join(path, sep).length).split(sep).join('/');
    if (!entry.isFile() || ConversationNames.isNoise(name)) continue;
    names.add(name, name);
    if (ConversationNames.isManifest(name)) manifest = join(path, name);
  }
  const { chosen, isMaybe, parts, leftOut } = names;
  if (parts.length > 0)
    return openPartFiles(
      parts.map((name) => ({ name, path: join(path, name) })),
      openPart,
      leftOut,
    );
  if (chosen.length === 0) {
    throw new UnreadableError(`${path} is a folder without a conversations.json or any other JSON or HTML file`);
  }
  if (manifest !== null && (await stat(manifest)).size <= MAX_MANIFEST_BYTES) {
    leftOut.push(...names.missingOf(await readFile(manifest, 'utf8')));
  }
  let read = 0;
  let size = 0;
  for (const name of chosen) size += (await stat(join(path, name))).size;
  const open = (name: string) => createReadStream(join(path, name), { highWaterMark: readBytes });
  const texts = chosen.map((name): SourceText => ({
    name,
    isMaybe,
    digest: () => textDigest(open(name)),
    async *bytes() {
      for await (const chunk of open(name)) {
        read += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    },
  }));
  return { texts, size, files: null, leftOut, bytesRead: () => read, close: async () => {} };
}
