import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Holding } from '../../limits/memory.js';

/**
 * Counts what has arrived of the message that is on its way, until it is whole.
 * @param hold begins to count for whoever is at the other end
 * @param refuse told why there can be no more of it
 */
export function boundArriving(
  connection: Socket,
  webSocket: WebSocket,
  { hold, refuse }: { hold: () => Holding; refuse: (error: unknown) => void },
): void {
  let arriving: Holding | undefined;
  const whole = () => {
    arriving?.giveBack();
    arriving = undefined;
  };
  // Before the socket itself looks at it.
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
