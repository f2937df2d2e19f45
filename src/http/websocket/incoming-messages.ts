import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Account, Holding } from '../../limits/memory.js';
import { parsedSize } from '../../limits/parsed-size.js';
import { LARGE_JSON_BYTES, type Usage } from '../../limits/usage.js';
import { CloseCode } from './close-codes.js';
import type { Extra } from './connect.js';
import { isServerMessageError } from './graphql-ws-adapter.js';

/**
 * Reads the messages of a socket in order, within the memory of its user; without memory, closes the socket.
 * @param take parses and handles the text of a message
 */
export function receiveMessages(
  webSocket: WebSocket,
  connection: Socket,
  extra: Extra,
  { usage, onError }: { usage: Usage; onError: (error: unknown) => void },
  take: (text: string) => Promise<void>,
): void {
  const { socket } = extra;
  const userId = () => extra.session?.viewer.userId ?? extra.address;
  const hold = (account: Account) => usage.memory.hold(account, userId());
  const refuse = (error: unknown) => socket.close(CloseCode.tryLater, (error as Error).message);
  const fail = (error: unknown) => {
    if (isServerMessageError(error)) return socket.close(CloseCode.badRequest, 'Invalid message received');
    onError(error);
    socket.close(CloseCode.internalError, 'Internal server error');
  };
  const arrive = inOrder((bytes) => usage.beginLarge(userId(), bytes));

  boundArriving(connection, webSocket, { hold: () => hold('bodies'), refuse });
  webSocket.on('message', (data: Buffer) => {
    const variables = hold('variables');
    try {
      variables.take(parsedSize(data));
    } catch (error) {
      return refuse(error);
    }
    arrive(data.length, () => {
      // Messages after the close are not run: the client could not get the answer and would repeat them.
      if (webSocket.readyState !== webSocket.OPEN) return variables.release();
      socket.take(variables, () => take(data.toString())).catch(fail);
    });
  });
}

/** Reads messages in order; large ones wait until `begin` settles. */
function inOrder(begin: (bytes: number) => Promise<void>): (bytes: number, read: () => void) => void {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  return (bytes, read) => {
    if (waiting === 0 && bytes < LARGE_JSON_BYTES) return read();
    waiting++;
    last = last
      .then(() => begin(bytes))
      .then(() => {
        waiting--;
        read();
      });
  };
}

/**
 * Counts the bytes of an incomplete message until it is complete.
 * @param hold begins to count memory for the client
 * @param refuse called with the reason when there is no memory for more
 */
function boundArriving(
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
