/** A proxy between client and server that can drop all traffic without closing connections. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  port: number;
  /** Drops all traffic, also of new connections. */
  swallow(): void;
  /** Forwards new connections again. Connections whose traffic was dropped stay broken. */
  restore(): void;
  /** Closes new connections at once. */
  refuse(): void;
  /** Breaks all connections. */
  cut(): void;
  /** Breaks the next connection whose client sends more than these bytes. */
  cutAfter(bytes: number): void;
  /** The number of open sockets, to clients and to the server. */
  sockets(): number;
}

export async function startProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const swallowed = new WeakSet<Socket>();
  let isSwallowing = false;
  let isRefusing = false;
  let bytesToCut = Infinity;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    track(client);
    if (isRefusing) return client.destroy();
    if (isSwallowing) return;
    const upstream = track(connect(target));
    client.pipe(upstream).pipe(client);
    client.on('data', () => {
      if (client.bytesRead <= bytesToCut) return;
      bytesToCut = Infinity;
      for (const socket of [client, upstream]) socket.destroy();
    });
    // A server that refuses a body resets the connection, which does not end the pipe.
    upstream.on('close', () => swallowed.has(upstream) || client.destroySoon());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server.close(), 'close');
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return {
    port: (server.address() as AddressInfo).port,
    swallow() {
      isSwallowing = true;
      for (const socket of sockets) swallowed.add(socket.unpipe().pause());
    },
    refuse: () => void (isRefusing = true),
    restore: () => void (isSwallowing = false),
    cutAfter: (bytes) => void (bytesToCut = bytes),
    cut: () => sockets.forEach((socket) => socket.destroy()),
    sockets: () => sockets.size,
  };
}
