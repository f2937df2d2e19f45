/** `POST /import`: imports a file of any format that can be read. The answer is JSON Lines, one for each conversation. */
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { MAX_CHATS_AT_ONCE, type AuditRecord } from '../../../audit.js';
import { onlyChatOf } from '../../../conversation/access/ownership.js';
import { readerNamed, READERS, type TemporaryFolder } from '@parley/interchange/server';
import { createLockedFolder } from '../../../system/locked-folders.js';
import type { ImportProgress } from '../import-upload.js';
import { TransferSlots } from '../../../limits/transfer-slots.js';
import type { Route, RouteCall } from '../../../route.js';
import { Imports, type ImportServices } from './imports.js';
import { JsonLinesResponse } from '../../../http/transfer/json-lines-response.js';
import {
  badRequest,
  ownerOf,
  parametersOf,
  refusalOf,
  refused,
  signalOfLeaving,
} from '../../../http/requests/transfer-request.js';
import { receiveUpload, storageError } from '../../../http/requests/upload.js';
import { GraphQLError } from 'graphql';
import { Counter, type Registry } from 'prom-client';

/** Types that HTML forms cannot send: a page of another origin needs a preflight for them. */
const TYPE = /^application\/(json|jsonl|x-ndjson|zip|gzip|octet-stream)\s*(;|$)/i;
/** Bytes of a body, compressed or not. */
export const MAX_IMPORT_BYTES = 1024 ** 3;
/** Milliseconds in which an import can fail with a specific status. */
const FIRST_SILENCE_MS = 30_000;

export function importRoute(services: ImportServices, counting: ReturnType<typeof countingImports>): Route {
  const imports = new Imports(services);
  const uploads = new TransferSlots('unfinished uploads', { ofAUser: 2, ofAll: 64 });
  return {
    methods: ['POST'],
    // In every state: arriving, queued or running.
    slots: new TransferSlots('imports', { ofAUser: 8, ofAll: 128 }),
    scope: 'WRITE',
    event: 'chats.imported',
    isUpload: true,
    isForPages: true,
    answer: ({ request, response, ...call }) =>
      counting(response, () => answerImport(request, response, { ...services, ...call, imports, uploads })),
    close: () => imports.close(),
  };
}

interface ImportCall extends Omit<RouteCall, 'request' | 'response'>, ImportServices {
  imports: Imports;
  /** Incomplete bodies. */
  uploads: TransferSlots;
}

/**
 * @returns the error that ends the answer, undefined without one
 * @throws GraphQLError when the import is refused, or fails before the first line of the answer
 */
async function answerImport(
  request: IncomingMessage,
  response: ServerResponse,
  { url, session: { viewer }, audit, imports, uploads, limits, onError }: ImportCall,
): Promise<unknown> {
  const parameters = parametersOf(url, ['format', 'fileName', 'userId', 'into']);
  const { format = null, fileName = null, into = null, userId } = parameters;
  const owner = ownerOf(viewer, userId);
  if (onlyChatOf(viewer) !== null) throw refused('An access token for one chat cannot import chats', 'FORBIDDEN', 403);
  if (format !== null && readerNamed(format) === undefined) {
    throw badRequest(`There is no format of this name; there are ${READERS.map(({ name }) => name).join(', ')}`);
  }
  if (!TYPE.test(request.headers['content-type'] ?? '')) {
    const types = 'application/json, jsonl, x-ndjson, zip, gzip or octet-stream';
    throw refused(`The body must have the content type ${types}`, 'UNSUPPORTED_MEDIA_TYPE', 415);
  }
  const actor = viewer.isAdmin ? null : viewer.userId;
  const signal = signalOfLeaving(response);
  const imported = new ImportedChats(audit, owner);
  let failure: unknown;
  await imports.during(viewer.userId, async (spooled) => {
    const folder = createFolder();
    const path = join(folder.path, 'export');
    let lines: JsonLinesResponse | null = null;
    let isWhole = false;
    try {
      const endUpload = uploads.begin(viewer.userId);
      await receiveUpload(request, response, { path, spooled, limits, maxBytes: MAX_IMPORT_BYTES }).finally(endUpload);
      let progress: ImportProgress | { waiting: true } = { waiting: true };
      const onProgress = (reached: ImportProgress) => (progress = reached);
      lines = new JsonLinesResponse(response, () => ({ progress }), { firstMs: FIRST_SILENCE_MS });
      const file = { path, fileName, owner, actor, format, into };
      const { onChat } = imported;
      await imports.run({ file, folder: folder.path, lines, spooled, signal, onProgress, onChat }, viewer.userId);
      imported.end();
      isWhole = true;
    } catch (error) {
      imported.writeChats();
      if (lines !== null && signal.aborted) return;
      if (lines === null || !response.headersSent) throw error;
      failure = error;
      audit?.refused({ event: 'chats.imported', result: 'failed', chatIds: [], target: owner });
      const { message, extensions } = refusalOf(error, onError);
      lines.writeLine({ error: { message, code: extensions['code'] } });
      isWhole = true;
    } finally {
      // Before the answer ends: a stopping server waits only for answers.
      await rm(folder.path, { recursive: true, force: true });
      folder.remove();
      lines?.stop(isWhole);
    }
  });
  return failure;
}

/** The lines of the audit log about imported chats. */
class ImportedChats {
  readonly #chatIds = new Set<string>();
  #hasLine = false;

  constructor(
    private readonly audit: AuditRecord | null,
    private readonly owner: string,
  ) {}

  readonly onChat = (chatId: string): void => {
    this.#chatIds.add(chatId);
    if (this.#chatIds.size >= MAX_CHATS_AT_ONCE) this.writeChats();
  };

  /** Writes the chats since the last line, if there are any. */
  writeChats(): void {
    if (this.#chatIds.size > 0) this.#write();
  }

  /** An import without changes has a line, too. */
  end(): void {
    if (this.#chatIds.size > 0 || !this.#hasLine) this.#write();
  }

  #write(): void {
    this.audit?.done({ event: 'chats.imported', chatIds: [...this.#chatIds], target: this.owner });
    this.#chatIds.clear();
    this.#hasLine = true;
  }
}

function createFolder(): TemporaryFolder {
  try {
    return createLockedFolder();
  } catch (error) {
    throw storageError(error);
  }
}

/** `refused` for the client's mistakes, `aborted` when the client left, `failed` for everything else. */
const IMPORT_RESULTS = ['imported', 'refused', 'aborted', 'failed'] as const;

/**
 * Registers the metric.
 * @returns a function that counts the result of an import, and throws the errors of `work`. `work` returns the error that
 * ended its answer, undefined without one
 */
export function countingImports(registry: Registry) {
  const imports = new Counter({
    name: 'parley_imports_total',
    help: 'Requests to POST /import that have ended, by result.',
    labelNames: ['result'],
    registers: [registry],
  });
  // A series that starts at 0 shows its first increase.
  for (const result of IMPORT_RESULTS) imports.inc({ result }, 0);
  return async (response: ServerResponse, work: () => Promise<unknown>): Promise<void> => {
    try {
      imports.inc({ result: resultOf(await work(), response) });
    } catch (error) {
      imports.inc({ result: resultOf(error, response) });
      throw error;
    }
  };
}

function resultOf(error: unknown, response: ServerResponse): (typeof IMPORT_RESULTS)[number] {
  const { req: request } = response;
  const hasLeft = request.complete ? response.destroyed && !response.writableFinished : request.destroyed;
  if (hasLeft) return 'aborted';
  if (error === undefined) return 'imported';
  const { status = 500 } = (error instanceof GraphQLError ? error.extensions['http'] : {}) as { status?: number };
  return status < 500 ? 'refused' : 'failed';
}
