/** `POST /import`: a file of any format that can be read. The answer is JSON, a line for each conversation. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Archive } from '../../conversation/archive.js';
import type { Viewer } from '../../conversation/model.js';
import type { ConversationStore } from '../../conversation/store.js';
import { openSourceFile } from '../../interchange/files/open-file.js';
import { UnreadableError } from '../../interchange/files/unreadable.js';
import { importFile } from '../../interchange/importing/import-file.js';
import { READERS, readerNamed } from '../../interchange/readers/all-readers.js';
import { ToldLines } from './told-lines.js';
import { badRequest, ownerOf, parametersOf, refused } from './transfer-request.js';

/** Types that no form has: a page of another origin has to ask before it sends them. */
const TYPE = /^application\/(json|jsonl|x-ndjson|zip|gzip|octet-stream)\s*(;|$)/i;

/** Of a file, packed or not, as it comes. */
export const MAX_IMPORT_BYTES = 1024 ** 3;

export interface ImportServices {
  store: ConversationStore;
  archive: Archive;
}

/** @throws GraphQLError when it is not taken, before anything is answered */
export async function answerImport(
  request: IncomingMessage,
  response: ServerResponse,
  { url, viewer, store, archive }: { url: URL; viewer: Viewer } & ImportServices,
): Promise<void> {
  const { format, userId } = parametersOf(url, ['format', 'userId']);
  const owner = ownerOf(viewer, userId);
  const reader = format === undefined ? null : readerNamed(format);
  if (reader === undefined) {
    throw badRequest(`There is no format of this name; there are ${READERS.map(({ name }) => name).join(', ')}`);
  }
  if (!TYPE.test(request.headers['content-type'] ?? '')) {
    const types = 'application/json, jsonl, x-ndjson, zip, gzip or octet-stream';
    throw refused(`The body must have the content type ${types}`, 'UNSUPPORTED_MEDIA_TYPE', 415);
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_IMPORT_BYTES) throw tooLarge();
  const folder = await mkdtemp(join(tmpdir(), 'parley-import-')).catch((error: unknown) => {
    throw roomError(error);
  });
  let lines: ToldLines | null = null;
  let isWhole = false;
  try {
    const path = join(folder, 'export');
    // All of it first: nothing of a file that breaks off on its way is written, and no transaction waits for a client.
    await receive(request, response, path);
    const file = await openSourceFile(path).catch((error: unknown) => {
      if (!(error instanceof UnreadableError)) throw error;
      throw badRequest(`The body cannot be read: ${error.message.replaceAll(path, 'it')}`);
    });
    const told = new ToldLines(response, () => ({ progress: { read: file.bytesRead(), of: file.size } }));
    lines = told;
    try {
      const report = await importFile(store, owner, file, {
        format: reader,
        adopting: { archive, owner, actor: viewer.isAdmin ? null : viewer.userId },
        onRead: (read) => {
          if (read !== null) told.say('reason' in read ? { couldNotRead: read } : { conversation: read });
        },
        pause: () => room(response),
      });
      told.say({ totals: report.totals(), leftOut: report.notes.kept, couldNotRead: report.failures.kept });
      isWhole = true;
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    // Behind everything else: a server that stops waits for answers alone.
    lines?.stop(isWhole);
  }
}

/** Nobody waits for the report any more: the rest is not imported. */
class GoneError extends Error {}

async function room(response: ServerResponse): Promise<void> {
  if (response.writableNeedDrain && !response.destroyed) {
    const over = new AbortController();
    const { signal } = over;
    const either = [once(response, 'drain', { signal }), once(response, 'close', { signal })];
    await Promise.race(either).finally(() => over.abort());
  }
  if (response.destroyed) throw new GoneError();
}

async function receive(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      if (size > MAX_IMPORT_BYTES) done(tooLarge());
      else done(null, chunk);
    },
  });
  // What has come is taken by itself, and not by the pipeline, which would end the connection that is to carry the answer.
  const body = request.iterator({ destroyOnReturn: false });
  // Of a request that was answered before it was complete, as one that takes too long is, Node tells nothing more.
  const end = () => request.destroy();
  response.once('close', end);
  if (response.closed) end();
  await pipeline(body, bounded, createWriteStream(path, { mode: 0o600 }))
    .catch((error: unknown) => {
      if (request.destroyed && !request.complete) throw badRequest('The body broke off');
      throw roomError(error);
    })
    .finally(() => response.off('close', end));
}

/** On a read-only file system, or a full one. */
function roomError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EROFS' && code !== 'EACCES') return error;
  return refused('The server has no room for files that arrive: its TMPDIR must be writable', 'OVERLOADED', 503);
}

function tooLarge() {
  return refused(`The body must have at most ${MAX_IMPORT_BYTES} bytes`, 'PAYLOAD_TOO_LARGE', 413);
}
