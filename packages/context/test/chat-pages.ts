/** A chat application for tests: a Parley server, the handler on a socket, and the requests of a page. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { RemoteStore, type ContextStore } from '@parley/context';
import { createAnswerHandler, toNodeHandler, type AnswerHandlerOptions } from '@parley/context/answer';
import { createServer } from '../../../src/server.js';
import { temporaryDatabaseUrl } from '../../../test/support/database/temporary-database.js';

/** A Parley server with its own database, until the test ends. */
export async function openParley(): Promise<{ url: string; databaseUrl: string; store: ContextStore }> {
  const databaseUrl = temporaryDatabaseUrl();
  const server = await createServer({ databaseUrl, migrateOnStart: true, port: 0 });
  onTestFinished(() => server.stop());
  const url = await server.start();
  return { url, databaseUrl, store: new RemoteStore({ url }) };
}

/** The handler on its own port. @returns its address */
export async function serve(options: AnswerHandlerOptions): Promise<string> {
  const handler = toNodeHandler(createAnswerHandler(options));
  const server = createHttpServer((request, response) => void handler(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
}

export interface Message {
  id: string;
  role: string;
  parts: object[];
}

export const userMessage = (id: string, text: string): Message => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text }],
});

/** Sends messages like useChat. */
export function post(api: string, messages: Message[], more: object = {}): Promise<Response> {
  return fetch(api, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'c', trigger: 'submit-message', messages, ...more }),
  });
}

/** The chunks of a response to its end. */
export async function chunksOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
}

/** The chunks of a response as they arrive. */
export async function* eventsOf(response: Response): AsyncGenerator<Record<string, unknown>, void> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n');
    rest = events.pop()!;
    for (const event of events) {
      if (event.startsWith('data: {')) yield JSON.parse(event.slice('data: '.length)) as Record<string, unknown>;
    }
  }
}

export const textOf = (chunks: readonly Record<string, unknown>[]): string =>
  chunks.flatMap(({ type, delta }) => (type === 'text-delta' ? [String(delta)] : [])).join('');
