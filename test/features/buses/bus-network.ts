/** Network fixtures of the bus tests: a port that accepts connections, and open sockets and timers. */
import { createHook } from 'node:async_hooks';
import { createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const withPort = (url: string, port: number) => Object.assign(new URL(url), { port: String(port) }).href;

/** Accepts connections, and sends nothing. */
export async function startSink({ disconnect = false } = {}) {
  let count = 0;
  let onConnection = () => {};
  const connected = new Promise<void>((resolve) => (onConnection = resolve));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (disconnect) socket.destroy();
    count++;
    onConnection();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connected, count: () => count };
}

/** The kinds of sockets and timers that have been created since the call and still exist. */
export function watchResources(): () => string[] {
  const alive = new Map<number, string>();
  const hook = createHook({
    init(id, type) {
      if (!/^(Timeout|TCPWRAP|TCPCONNECTWRAP)$/.test(type)) return;
      if (/[\\/](src[\\/]features[\\/]buses|ioredis|pg)[\\/]/.test(new Error().stack ?? '')) alive.set(id, type);
    },
    destroy: (id) => void alive.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  return () => [...alive.values()];
}
