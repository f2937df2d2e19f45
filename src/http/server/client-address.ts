import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';

/** Whether addresses can be compared with it: not with a network of all addresses, which would trust every client. */
export function isProxyNetwork(text: string): boolean {
  const [address = ''] = text.split('/');
  try {
    proxyAddress.compile([text]);
    // Other forms, such as names of networks, are not documented.
    return isIP(address) !== 0 && /^[^/]+(\/[0-9]{1,3})?$/.test(text);
  } catch {
    return false;
  }
}

/**
 * Returns a function that reads a request's address as limits count it: IPv6 addresses count by their /64 network,
 * which belongs to one host.
 * @param trustedProxies addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For is used
 * @param log receives one line, once, when a proxy is not trusted
 * @throws TypeError for an invalid address or network
 */
export function createAddressReader(
  trustedProxies: readonly string[],
  log: (line: string) => void,
): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  let isLogged = trustedProxies.length > 0;
  // The requests of a connection mostly have one address, and several limits read it.
  const lastOf = new WeakMap<Socket, { text: string; counted: string }>();
  return (request) => {
    if (!isLogged && request.headers['x-forwarded-for'] !== undefined) {
      isLogged = true;
      log(
        'X-Forwarded-For is ignored because TRUSTED_PROXIES is not set: all clients behind a proxy count as one address',
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
 * Returns a function that reads the peer address of a connection, before its first request. A trusted proxy's
 * connection has no address to count.
 * @param trustedProxies as above
 * @throws TypeError as above
 */
export function createConnectionAddressReader(trustedProxies: readonly string[]): (socket: Socket) => string | null {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return ({ remoteAddress }) =>
    remoteAddress === undefined || isTrusted(remoteAddress, 0) ? null : countedAddress(remoteAddress);
}

function countedAddress(text: string): string {
  // A proxy may forward an invalid address, and a closed connection has none.
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const network = [...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
