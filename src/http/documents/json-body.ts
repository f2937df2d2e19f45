import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { OverloadedError, TooLargeError } from '../../conversation/errors.js';
import type { IsPublic } from '../../feature.js';
import type { Context } from '../../graphql/context.js';
import type { Holding } from '../../limits/memory.js';
import { parsedSize } from '../../limits/parsed-size.js';
import type { Usage } from '../../limits/usage.js';
import { isStranger, refuseStranger, sessionOf } from '../server/identity.js';
import { refuseRequest } from '../answers/refused-request.js';
import { BodyBuffer } from '../requests/body-buffer.js';

/**
 * Checks the parameters of GET requests, and reads the body of POST requests: only JSON in UTF-8, up to a size. A page of another origin can send other types
 * without a preflight. Memory is counted for the received bytes while the body arrives, and for its values until the
 * answer.
 * @param isPublic whether a document needs no sign-in
 */
export function useJsonBody(usage: Usage, isPublic: IsPublic): Plugin {
  const { memory } = usage;
  const { maxBodyBytes: maxBytes } = usage.limits;
  return {
    onRequest({ request, url, serverContext, fetchAPI, endResponse }) {
      let refusal: GraphQLError | null = null;
      if (request.method === 'GET') refusal = faultOfParameters(url);
      if (request.method === 'POST') {
        if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
          const message = 'The body of a POST request must have the content type application/json';
          refusal = isStranger(serverContext)
            ? refuseStranger(serverContext)
            : badBody(message, 'UNSUPPORTED_MEDIA_TYPE', 415);
        } else if (Number(request.headers.get('content-length') ?? 0) > maxBytes) {
          refusal = badBody(tooLarge(maxBytes), 'PAYLOAD_TOO_LARGE', 413);
        }
      }
      if (refusal !== null) endResponse(refuseRequest(refusal, serverContext, fetchAPI));
    },
    onRequestParse({ request, serverContext, setRequestParser }) {
      if (request.method !== 'POST') return;
      const { userId } = sessionOf(serverContext).viewer;
      setRequestParser(async ({ body }) => {
        const arriving = memory.hold('bodies', userId);
        const { req, res } = serverContext as { req?: IncomingMessage; res?: ServerResponse };
        // A body does not always report that its connection closed.
        const breakOff = () => void req?.destroy();
        res?.once('close', breakOff);
        if (res?.closed === true) breakOff();
        try {
          const bytes = await read(body, maxBytes, arriving);
          // Counted before parsing. Without a connection the end is unknown, so nothing is counted.
          if (res !== undefined) {
            const variables = memory.hold('variables', userId);
            variables.take(parsedSize(bytes));
            Object.assign(serverContext, { variablesBytes: variables.bytes } satisfies Partial<Context>);
            if (res.closed) variables.release();
            else res.once('close', variables.release);
          }
          await usage.beginLarge(userId, bytes.length);
          const parsed = parse(bytes);
          if (isStranger(serverContext) && !asksFor(isPublic, parsed)) throw refuseStranger(serverContext);
          return parsed;
        } catch (error) {
          throw isStranger(serverContext) ? refuseStranger(serverContext) : asRefusal(error);
        } finally {
          arriving.release();
          res?.off('close', breakOff);
        }
      });
    },
  };
}

/** Whether the body of a request has the text of a public document. */
function asksFor(isPublic: IsPublic, { query, documentId }: { query?: unknown; documentId?: unknown }): boolean {
  return typeof query === 'string' && documentId == null && isPublic(query);
}

async function read(body: ReadableStream<Uint8Array> | null, maxBytes: number, arriving: Holding): Promise<Buffer> {
  const received = new BodyBuffer(maxBytes);
  // Not for await: leaving it early would end the connection before the client reads the error.
  const reader = body?.getReader();
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      throw badBody('The body broke off', 'BAD_REQUEST', 400);
    });
    if (chunk === undefined || chunk.done) return received.bytes;
    arriving.take(chunk.value.byteLength);
    if (!received.add(chunk.value)) throw badBody(tooLarge(maxBytes), 'PAYLOAD_TOO_LARGE', 413);
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof TooLargeError) return badBody(error.message, error.code, 413);
  return error instanceof OverloadedError ? badBody(error.message, error.code, 503) : error;
}

/** The error must not contain the body: errors may be logged. */
function parse(bytes: Buffer): object {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badBody('The body must be UTF-8', 'BAD_REQUEST', 400);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    throw badBody('The body must be JSON', 'BAD_REQUEST', 400);
  }
  throw badBody('The body must be a JSON object', 'BAD_REQUEST', 400);
}

function tooLarge(maxBytes: number): string {
  return `The body must have at most ${maxBytes} bytes`;
}

function badBody(message: string, code: string, status: number): GraphQLError {
  // The rest of an unread body is discarded.
  const headers = { connection: 'close' };
  return new GraphQLError(message, { extensions: { code, http: { spec: false, status, headers } } });
}

/** The refusal of a GET request whose variables or extensions are not JSON, which Yoga would report as an internal error. */
function faultOfParameters({ searchParams }: URL): GraphQLError | null {
  for (const name of ['variables', 'extensions']) {
    const text = searchParams.get(name);
    if (text === null || text === '' || isJson(text)) continue;
    const extensions = { code: 'BAD_REQUEST', http: { status: 400 } };
    return new GraphQLError(`The parameter ${name} must be JSON`, { extensions });
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
