/** The beginning of a socket: who is at its other end. */
import type { IncomingHttpHeaders } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Credentials, Session } from '../../auth/session.js';
import type { Admission } from '../server/admission.js';
import { atExpiry } from '../server/expiry.js';
import type { Caller } from '../../telemetry/caller.js';
import type { Observer } from '../../telemetry/observer.js';
import type { OpenCounts } from '../../limits/open-counts.js';
import { CloseCode } from './close-codes.js';
import type { ClientSocket } from './client-socket.js';

/** What the library keeps with a socket. */
export interface Extra {
  socket: ClientSocket;
  /** Of the request that asked for the socket. */
  headers: IncomingHttpHeaders;
  address: string;
  /** Where each operation comes from. */
  callerOf: (payload: { extensions?: unknown }) => Caller;
  /** Who is at the other end: known once the connection is acknowledged. */
  session?: Session;
}

export interface ConnectOptions {
  admission: Admission;
  userSockets: OpenCounts;
  /** Told of those that are refused, as operations are over HTTP. */
  observer: Observer;
}

/**
 * Takes a connection_init, which counts as an operation: tokens cannot be guessed faster than operations sent. Its payload
 * says who the client is, in the words of the headers of HTTP. What it does not say, the headers of the socket's own
 * request may: browsers cannot set those, and programs can.
 *
 * @returns whether the connection is acknowledged; a socket that is refused is closed with the reason
 */
export async function connectWith(
  { admission, userSockets, observer }: ConnectOptions,
  extra: Extra,
  payload: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { socket } = extra;
  try {
    const session = await admission.admit(credentialsOf(payload, extra.headers), extra.address);
    const closed = userSockets.open(session.viewer.userId);
    if (closed === null) {
      socket.close(CloseCode.tryLater, 'This user has as many sockets open as there may be');
      observer.operation(extra.callerOf(payload), session.viewer.userId).refuse('TOO_MANY_SOCKETS');
      return false;
    }
    const forget = atExpiry(session, () => socket.close(CloseCode.forbidden, 'The token has expired'));
    socket.onClose(() => {
      closed();
      forget();
    });
    extra.session = session;
    return true;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    observer.operation(extra.callerOf(payload), null).end([error]);
    const isRefused = error.extensions['code'] === 'UNAUTHENTICATED';
    socket.close(isRefused ? CloseCode.forbidden : CloseCode.tryLater, error.message);
    return false;
  }
}

function credentialsOf(payload: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders): Credentials {
  const given = (name: string): string | null => {
    const [, value] = Object.entries(payload).find(([key]) => key.toLowerCase() === name) ?? [];
    if (value === undefined || value === null) return headers[name]?.toString() ?? null;
    // Whatever else it is, it is not left out, and no token or id: it may nest deeper than can be written.
    return typeof value === 'string' ? value : '';
  };
  return { authorization: given('authorization'), userId: given('x-user-id') };
}
