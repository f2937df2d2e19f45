/** An adapter for node:http and Express. It uses their objects by shape, so that bundles for other runtimes need nothing of Node. */

import { isRecord } from '../record.js';

/** The used part of node:http's IncomingMessage. */
export interface NodeRequest extends AsyncIterable<unknown> {
  method?: string | undefined;
  url?: string | undefined;
  /** Express: the address before a router has cut it. */
  originalUrl?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** The body, where express.json() has read it. */
  body?: unknown;
}

/** The used part of node:http's ServerResponse. */
export interface NodeResponse {
  readonly destroyed: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  flushHeaders(): void;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** A handler of web requests as a handler of node:http and Express. A client that disconnects ends only its own response. */
export function toNodeHandler(
  handler: (request: Request) => Promise<Response>,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const disconnected = new AbortController();
    outgoing.once('close', () => disconnected.abort());
    try {
      const response = await handler(toRequest(incoming, disconnected.signal));
      outgoing.statusCode = response.status;
      response.headers.forEach((value, name) => outgoing.setHeader(name, value));
      // The rest of the body is not read.
      if (response.status === 413) outgoing.setHeader('connection', 'close');
      outgoing.flushHeaders();
      if (response.body !== null) await pipe(response.body, outgoing, disconnected.signal);
      outgoing.end();
    } catch {
      // An upload that was aborted, or a response that broke off: nothing can be answered.
      outgoing.destroy();
    }
  };
}

function toRequest(incoming: NodeRequest, signal: AbortSignal): Request {
  const { method = 'GET', headers } = incoming;
  const path = incoming.originalUrl ?? incoming.url ?? '/';
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && !name.startsWith(':')) sent.append(name, each);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const given = isRecord(incoming.body) ? JSON.stringify(incoming.body) : streamOf(incoming);
  const body = hasBody ? { body: given, duplex: 'half' } : {};
  const init: RequestInit = { method, headers: sent, signal, ...body };
  // The address is read for its path and query alone.
  return new Request(new URL(path, 'http://localhost'), init);
}

function streamOf(incoming: AsyncIterable<unknown>): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value as Uint8Array);
      },
    },
    { highWaterMark: 0 },
  );
}

async function pipe(
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  disconnected: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  disconnected.addEventListener('abort', leave);
  if (disconnected.aborted) leave();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || disconnected.aborted) return;
    if (!outgoing.write(value)) await drained(outgoing, disconnected);
  }
}

/** Settles when the socket drains or closes. */
function drained(outgoing: NodeResponse, disconnected: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      disconnected.removeEventListener('abort', done);
      resolve();
    };
    outgoing.once('drain', done);
    disconnected.addEventListener('abort', done);
    if (disconnected.aborted) done();
  });
}
