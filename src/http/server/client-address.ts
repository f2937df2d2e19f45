import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

/**
 * Tells the address that a request comes from, as limits count it: an IPv6 host has a network of 64 bits to itself, so
 * that is what counts there.
 *
 * @param trustedProxies addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For is believed
 * @param log takes a line, once, when there is a proxy and none is trusted
 * @throws TypeError when one of them is neither
 */
export function createAddressReader(
  trustedProxies: readonly string[],
  log: (line: string) => void,
): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  let isTold = trustedProxies.length > 0;
  // The requests of a connection mostly come from one address, and more than one limit counts each.
  const lastOf = new WeakMap<Socket, { text: string; counted: string }>();
  return (request) => {
    if (!isTold && request.headers['x-forwarded-for'] !== undefined) {
      isTold = true;
      log(
        'X-Forwarded-For is not believed, because TRUSTED_PROXIES is not set: all clients behind a proxy count as one address',
      );
    }
    const { socket } = request;
    const text = trustedProxies.length > 0 ? proxyAddress(request, isTrusted) : (socket.remoteAddress ?? '');
    const last = lastOf.get(socket);
    if (last?.text === text) return last.counted;
    const counted = countedAddress(text);
    lastOf.set(socket, { text, counted });
    return counted;
  };
}

/**
 * Tells the address that a connection comes from, before anything was sent on it: its other end's. That of a proxy says
 * nothing of who asks, so it has none to be counted by.
 *
 * @param trustedProxies as above
 * @throws TypeError as above
 */
export function createConnectionAddressReader(trustedProxies: readonly string[]): (socket: Socket) => string | null {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return ({ remoteAddress }) =>
    remoteAddress === undefined || isTrusted(remoteAddress, 0) ? null : countedAddress(remoteAddress);
}

function countedAddress(text: string): string {
  // A proxy may forward what is no address; and a connection that is gone already has none.
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const network = [...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
