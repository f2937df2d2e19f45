/** The routes /export, /import and /users: they authenticate and count requests as /graphql does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Archive } from '../../conversation/archive.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { Transfer, Usage } from '../../limits/usage.js';
import type { ImportResult } from '../../telemetry/metrics.js';
import type { Admission } from '../server/admission.js';
import { corsFor } from '../server/cors.js';
import type { Origins } from '../server/origins.js';
import { answerErase, type EraseServices } from './erase-route.js';
import { answerExport } from './export-route.js';
import { reportImport } from './import-result.js';
import { answerImport } from './import-route.js';
import type { Imports } from './imports.js';
import { refusalOf, refuse } from './transfer-request.js';

export interface TransferOptions extends EraseServices {
  imports: Imports;
  archive: (caller: Caller) => Archive;
  admission: Admission;
  usage: Usage;
  origins: Origins;
  addressOf: (request: IncomingMessage) => string;
  /** Receives unexpected errors. */
  onError: (error: unknown) => void;
  /** Called when an import has ended. */
  onImport: (result: ImportResult) => void;
}

const METHODS: Record<string, readonly string[]> = {
  '/export': ['GET', 'HEAD'],
  '/import': ['POST'],
  '/users': ['DELETE'],
};

const KINDS: Record<string, Transfer> = { '/export': 'export', '/import': 'import', '/users': 'erasure' };

/** Whether a request brings a file, which can take longer than other requests. */
export function isUpload({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && /^\/import(?:\?|$)/.test(url);
}

/**
 * Answers /export, /import and /users.
 * @returns a handler that returns whether it answered
 */
export function createTransferRoutes(
  options: TransferOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const cors = corsFor(options.origins);
  return async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const methods = METHODS[path];
    if (methods === undefined) return false;
    const { origin, host, 'sec-fetch-site': site } = request.headers;
    const asking = new Headers(Object.entries({ origin, host, 'sec-fetch-site': site }).filter(isGiven));
    const allowed = cors({ headers: asking } as Request);
    if (allowed !== false && origin !== undefined) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('vary', 'Origin');
      response.setHeader('access-control-expose-headers', 'retry-after, x-request-id, parley-not-held');
    }
    if (request.method === 'OPTIONS') {
      const names = 'authorization, content-type, x-request-id, x-user-id';
      const granted = { 'access-control-allow-methods': methods.join(', '), 'access-control-allow-headers': names };
      response.writeHead(204, allowed === false ? {} : granted).end();
      return true;
    }
    if (!methods.includes(request.method ?? '')) {
      response.writeHead(405, { allow: methods.join(', ') }).end();
      return true;
    }
    try {
      await transfer(options, request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        // Without breaking off, the partial response would look complete.
        response.destroy();
        // The refusal came after the response began.
        if (response.headersSent && !(error instanceof GraphQLError)) options.onError(error);
      } else refuse(response, refusalOf(error, options.onError));
    }
    return true;
  };
}

async function transfer(
  { admission, addressOf, usage, imports, archive, erase, log, onError, onImport }: TransferOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization = null, 'x-user-id': userId = null } = request.headers;
  const credentials = { authorization, userId: typeof userId === 'string' ? userId : null };
  const session = await admission.admit(credentials, addressOf(request));
  const { viewer } = session;
  const url = new URL(request.url ?? '', 'http://localhost');
  const kind = KINDS[url.pathname] ?? 'export';
  const end = usage.beginTransfer(kind, viewer.userId);
  try {
    if (kind === 'erasure') await answerErase(response, { url, viewer, erase, log });
    else if (kind === 'import') {
      const services = { url, viewer, imports, usage, onError };
      await reportImport(response, onImport, () => answerImport(request, response, services));
    } else await answerExport(request, response, { url, session, archive });
  } finally {
    end();
  }
}

function isGiven(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}
