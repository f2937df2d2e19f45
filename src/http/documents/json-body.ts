import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { refuseRequest } from '../door/refused-request.js';

/**
 * Reads the body of POST requests: JSON in UTF-8, up to a size, and nothing else. Every other type of body can be sent by a
 * page of another origin without the browser asking this server first.
 * @param maxBytes of a body
 */
export function useJsonBody(maxBytes: number): Plugin {
  return {
    onRequest({ request, serverContext, fetchAPI, endResponse }) {
      if (request.method !== 'POST') return;
      const type = request.headers.get('content-type') ?? '';
      if (!/^application\/json\s*(;|$)/i.test(type)) {
        const message = 'The body of a POST request must have the content type application/json';
        endResponse(refuseRequest(badBody(message, 'UNSUPPORTED_MEDIA_TYPE', 415), serverContext, fetchAPI));
      } else if (Number(request.headers.get('content-length') ?? 0) > maxBytes) {
        endResponse(refuseRequest(badBody(tooLarge(maxBytes), 'PAYLOAD_TOO_LARGE', 413), serverContext, fetchAPI));
      }
    },
    onRequestParse({ request, setRequestParser }) {
      if (request.method === 'POST') setRequestParser(async ({ body }) => parse(await read(body, maxBytes)));
    },
  };
}

async function read(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Not for await: leaving that early would end the connection, and nobody would read why.
  const reader = body?.getReader();
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      throw badBody('The body broke off', 'BAD_REQUEST', 400);
    });
    if (chunk === undefined || chunk.done) return Buffer.concat(chunks);
    size += chunk.value.byteLength;
    if (size > maxBytes) throw badBody(tooLarge(maxBytes), 'PAYLOAD_TOO_LARGE', 413);
    chunks.push(chunk.value);
  }
}

/** What is wrong is told without a word of the body: the answer may be logged on its way. */
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

/** Of a body that goes on nobody wants the rest. Made anew each time: the response writes into it. */
function closing(): Record<string, string> {
  return { connection: 'close' };
}

function badBody(message: string, code: string, status: number): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { spec: false, status, headers: closing() } } });
}
