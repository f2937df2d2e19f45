import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createAddressReader } from '../../../src/http/server/client-address.js';

function addressesAndLines(trustedProxies: string[], forwarded: (string | undefined)[]) {
  const lines: string[] = [];
  const addressOf = createAddressReader(trustedProxies, (line) => lines.push(line));
  const socket = { remoteAddress: '192.0.2.1' };
  const addresses = forwarded.map((value) =>
    addressOf({
      headers: value === undefined ? {} : { 'x-forwarded-for': value },
      socket,
    } as unknown as IncomingMessage),
  );
  return { addresses, lines };
}

it('an untrusted proxy is logged once, because all its clients have one address', () => {
  const { addresses, lines } = addressesAndLines([], [undefined, '198.51.100.1', '198.51.100.2']);
  expect(addresses).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1']);
  expect(lines).toEqual([expect.stringContaining('TRUSTED_PROXIES is not set')]);
  expect(lines.join()).not.toContain('198.51.100');
});

it('a trusted proxy is not logged, nor is a client that sends the same header directly', () => {
  const { addresses, lines } = addressesAndLines(['192.0.2.0/24'], ['198.51.100.1', undefined]);
  expect(addresses).toEqual(['198.51.100.1', '192.0.2.1']);
  expect(lines).toEqual([]);
  expect(addressesAndLines([], [undefined, undefined]).lines).toEqual([]);
});
