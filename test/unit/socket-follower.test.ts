import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import type { ClientSocket } from '../../src/http/websocket/client-socket.js';
import { SocketFollower } from '../../src/http/websocket/socket-follower.js';

/** Whether a failure closes its socket, and with which code, or ends the subscription alone. */
async function endOf(code: string): Promise<number | string> {
  const closed = new Promise<number>((resolve) => {
    const socket = { retire: resolve } as unknown as ClientSocket;
    const follower = new SocketFollower(socket, '1');
    follower.next().catch((error: GraphQLError) => resolve(error.extensions['code'] as never));
    follower.fail(new GraphQLError('It cannot go on', { extensions: { code } }));
  });
  return closed;
}

test('a subscription that cannot go on closes its socket where its client is to come back, and ends else', async () => {
  expect(await endOf('DATABASE_UNAVAILABLE')).toBe(1013);
  expect(await endOf('TOO_SLOW')).toBe(4413);
  expect(await endOf('NOT_FOUND')).toBe('NOT_FOUND');
});
