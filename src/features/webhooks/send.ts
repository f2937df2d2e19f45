/** Sends one webhook request, signed as https://www.standardwebhooks.com specifies. */
import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { WebhookDelivery } from './webhook-events.js';
import { checkedAddresses, lookupOf, type Address, type Resolve } from './public-address.js';
import { keyOf, type Webhook } from './webhook.js';

/** Bytes of a response that are read; its content is ignored. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_REDIRECTS = 3;
const USER_AGENT = 'Parley-Webhooks';

export interface Received {
  status: number;
  /** Milliseconds, from the header Retry-After in seconds; 0 without one. */
  retryAfterMs: number;
}

export interface SendOptions {
  /** Milliseconds since 1970. */
  now: number;
  signal: AbortSignal;
  resolve?: Resolve | undefined;
}

/**
 * @returns the final status, which may be a failure
 * @throws Error with a reason without secrets when there is no response
 */
export async function send(webhook: Webhook, delivery: WebhookDelivery, options: SendOptions): Promise<Received> {
  const { url, timeoutMs, allowPrivateAddresses, allowRedirects } = webhook;
  const body = bodyOf(delivery);
  const headers = {
    ...signedHeaders(webhook, delivery.id, body, options.now),
    'content-length': Buffer.byteLength(body),
  };
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    let target = new URL(url);
    for (let redirects = 0; ; redirects++) {
      const addresses = await aborted(checkedAddresses(target, allowPrivateAddresses, options.resolve), signal);
      const { status, headers: received } = await post(target, { addresses, headers, body, signal });
      const next = allowRedirects && redirects < MAX_REDIRECTS ? redirectOf(target, status, received) : null;
      if (next === null) return { status, retryAfterMs: retryAfterMs(received) };
      target = next;
    }
  } catch (error) {
    if (timeout.aborted) throw new Error(`no response within ${timeoutMs} ms`, { cause: error });
    throw error;
  }
}

/** The signed content: ids, numbers and times only. */
function bodyOf({ type, createdAt, chatId, seq, userId, actorId, ids }: WebhookDelivery): string {
  const data = { chatId, version: seq, userId, actorId, ...(JSON.parse(ids) as object) };
  return JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), data });
}

function signedHeaders({ secrets }: Webhook, id: string, body: string, now: number) {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret) ?? '');
    return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

interface Post {
  addresses: readonly Address[];
  headers: Readonly<Record<string, string | number>>;
  body: string;
  signal: AbortSignal;
}

function post(
  url: URL,
  { addresses, body, ...options }: Post,
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    // A connection per request: each one is made to an address that was just checked.
    const sent = request(url, { ...options, method: 'POST', agent: false, lookup: lookupOf(addresses) }, (response) => {
      const end = () => resolve({ status: response.statusCode ?? 0, headers: response.headers });
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_RESPONSE_BYTES) response.destroy();
      });
      // The status decides, even when the rest of the response is missing.
      response.on('error', () => {}).on('close', end);
    });
    sent.on('error', reject).end(body);
  });
}

/** Only redirects that keep the method and the body; never from https:// to http://. */
function redirectOf(from: URL, status: number, { location }: IncomingHttpHeaders): URL | null {
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, from)) return null;
  const to = new URL(location, from);
  const isAllowed = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  return isAllowed ? to : null;
}

function retryAfterMs({ 'retry-after': seconds = '' }: IncomingHttpHeaders): number {
  return /^[0-9]{1,9}$/.test(seconds) ? Number(seconds) * 1000 : 0;
}

/** A DNS lookup cannot be aborted. */
function aborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
