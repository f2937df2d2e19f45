import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Holding } from '../../limits/memory.js';

/**
 * Counts the bytes of an incomplete message until it is complete.
 * @param hold begins to count memory for the client
 * @param refuse called with the reason when there is no memory for more
 */
export function boundArriving(
  connection: Socket,
  webSocket: WebSocket,
  { hold, refuse }: { hold: () => Holding; refuse: (error: unknown) => void },
): void {
  let arriving: Holding | undefined;
  const whole = () => {
    arriving?.release();
    arriving = undefined;
  };
  // Before the socket itself reads it.
  connection.prependListener('data', ({ length }: Buffer) => {
    arriving ??= hold();
    try {
      arriving.take(length);
    } catch (error) {
      refuse(error);
    }
  });
  for (const event of ['message', 'ping', 'pong', 'close']) webSocket.on(event, whole);
}
