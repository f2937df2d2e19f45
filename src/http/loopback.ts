/**
 * Until the server knows who asks, everybody who reaches it is its admin. So it listens on a loopback address only,
 * and answers only to the names of one: a page elsewhere can point a name of its own at 127.0.0.1 and would then count
 * as the same origin.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';
import type { Plugin } from 'graphql-yoga';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * The address to listen on for a host.
 * @throws Error when it is not a loopback address
 */
export async function loopbackAddress(host: string): Promise<string> {
  const { address } = await lookup(host).catch((error: unknown) => {
    throw new Error(`HOST "${host}" cannot be resolved`, { cause: error });
  });
  if (isLoopback(address)) return address;
  throw new Error(
    `HOST "${host}" is not a loopback address: without authentication everybody who reaches the server is its admin, ` +
      'so it listens on 127.0.0.1, ::1 or localhost only',
  );
}

function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Refuses requests whose Host header names anything but a loopback address. */
export function useLoopbackHostOnly(): Plugin {
  return {
    onRequest({ request, fetchAPI, endResponse }) {
      const hostname = new URL(request.url).hostname.replace(/^\[|\]$/g, '');
      if (hostname === 'localhost' || (/^[0-9.]+$|:/.test(hostname) && isLoopback(hostname))) return;
      endResponse(new fetchAPI.Response('This server answers to localhost only.', { status: 421 }));
    },
  };
}
