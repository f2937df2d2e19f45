/**
 * In development mode every client is an admin. The server therefore listens on loopback only and answers only to
 * loopback names: a page elsewhere can point its own name at 127.0.0.1 and would count as same-origin.
 */
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { isHealthPath } from './health.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A Host header that names the loopback interface; an invalid address is refused after it. */
const LOOPBACK_HOST = /^(?:localhost|\[::1\]|127(?:\.(?:0|[1-9][0-9]{0,2})){3})(?::[0-9]{1,5})?$/i;

/** The reason for refusing a HOST that is not a loopback address. */
export const NOT_LOOPBACK =
  'is not a loopback address: without AUTH_JWKS_URL or AUTH_JWT_SECRET every client is an admin, so ' +
  'the server listens on 127.0.0.1, ::1 or localhost only';

/**
 * The address to listen on for a host.
 * @throws Error when it is not a loopback address
 */
export async function loopbackAddress(host: string): Promise<string> {
  const { address } = await lookup(host).catch((error: unknown) => {
    throw new Error(`HOST "${host}" cannot be resolved`, { cause: error });
  });
  if (isLoopback(address)) return address;
  throw new Error(`HOST "${host}" ${NOT_LOOPBACK}`);
}

/** Whether a Host header names the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

export function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * The reason why a request is refused before it is handled, or null. An invalid Host header or target would make later
 * parsing of the URL throw.
 */
export function refusal(
  { headers, headersDistinct, url }: IncomingMessage,
  isDevelopment: boolean,
): { status: number; message: string } | null {
  // Probes of load balancers use HTTP/1.0 without a Host header; browsers always send it.
  if (headers.host === undefined && isHealthPath(url)) return null;
  const { host = '' } = headers;
  if (isDevelopment && !isLoopbackHost(host)) {
    return { status: 421, message: 'This server accepts requests for localhost only.' };
  }
  if (!/^[A-Za-z0-9._:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) {
    return { status: 400, message: 'The Host header must be a host.' };
  }
  // Node reads the first Host header; a proxy may have read another.
  if ((headersDistinct['host']?.length ?? 0) > 1) return { status: 400, message: 'There must be one Host header.' };
  if (!url?.startsWith('/')) return { status: 400, message: 'The request target must be a path.' };
  return null;
}
