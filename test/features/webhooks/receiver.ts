/** A receiver of webhooks on 127.0.0.1, which checks signatures as the specification describes, without Parley's code. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WebhookOptions } from '../../../src/features/webhooks/settings.js';

export interface Received {
  id: string;
  type: string;
  timestamp: string;
  data: { chatId: string; version: number; userId: string; actorId: string };
  body: string;
  headers: IncomingMessage['headers'];
}

export type Answer = (request: Received, response: ServerResponse) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** Replaces the answer, which is 204 at first. */
  answer: Answer;
}

export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** A webhook to the receiver, with short pauses. */
export function webhookTo({ url }: Pick<Receiver, 'url'>, options: Partial<WebhookOptions> = {}): WebhookOptions {
  return { name: 'hook', url, secrets: [newSecret()], allowPrivateAddresses: true, firstPauseMs: 10, ...options };
}

export async function startReceiver(answer: Answer = (_request, response) => void response.writeHead(204).end()) {
  const receiver: Receiver = { url: '', received: [], answer };
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const event = JSON.parse(body) as Omit<Received, 'id' | 'body' | 'headers'>;
      const received = { ...event, id: String(request.headers['webhook-id']), body, headers: request.headers };
      receiver.received.push(received);
      receiver.answer(received, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** Whether one of the signatures of the header is that of this secret. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = createHmac('sha256', key).update(content).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((each) => each.split(',', 2))
    .some(([version, signature = '']) => {
      const given = Buffer.from(signature, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
