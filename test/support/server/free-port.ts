import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of 127.0.0.1, for a server that needs a fixed one. Outside the ephemeral range: another socket could
 * get the port before the server.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // A random one: concurrent tests need ports, too.
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await once(probe.close(), 'close');
    return port;
  }
}
