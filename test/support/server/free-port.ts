import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that nobody listens on, for a server that cannot choose one by itself, or that comes back to it.
 * None of those that systems give by themselves: until the server has it, a connection or another server might get it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Any of many: tests that run at the same time look for one, too.
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
