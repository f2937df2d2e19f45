import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import type { ClientSocket } from '../../src/http/websocket/client-socket.js';
import { SocketFollower } from '../../src/http/websocket/socket-follower.js';

/** The close code of a socket after a failure, or the code of the error that only ends the subscription. */
async function endOf(code: string): Promise<number | string> {
  const closed = new Promise<number>((resolve) => {
    const socket = { retire: resolve } as unknown as ClientSocket;
    const follower = new SocketFollower(socket, '1');
    follower.next().catch((error: GraphQLError) => resolve(error.extensions['code'] as never));
    follower.fail(new GraphQLError('The subscription failed', { extensions: { code } }));
  });
  return closed;
}

test('a failed subscription closes its socket if the client should reconnect, and otherwise only ends', async () => {
  expect(await endOf('DATABASE_UNAVAILABLE')).toBe(1013);
  expect(await endOf('TOO_SLOW')).toBe(4413);
  expect(await endOf('NOT_FOUND')).toBe('NOT_FOUND');
});
