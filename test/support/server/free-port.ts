import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of 127.0.0.1 for a server with a fixed port. Outside the ephemeral range, from which another socket could
 * get the port first.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Random, because concurrent tests need ports, too.
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
