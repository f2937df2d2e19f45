import type { IncomingHttpHeaders } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Credentials, Session } from '../../auth/session.js';
import type { Admission } from '../server/admission.js';
import { credentialsOf, readHeader } from '../server/credentials.js';
import { atEnd } from '../server/session-end.js';
import type { Caller, Observer } from '../../observer.js';
import type { OpenCounts } from '../../limits/open-counts.js';
import { CloseCode } from './close-codes.js';
import type { ClientSocket } from './client-socket.js';

/** graphql-ws keeps this with a socket. */
export interface Extra {
  socket: ClientSocket;
  headers: IncomingHttpHeaders;
  address: string;
  /** Returns the origin of an operation, for its record. */
  callerOf: (payload: { extensions?: unknown }) => Caller;
  /** Set once the connection is acknowledged. */
  session?: Session;
}

export interface ConnectOptions {
  admission: Admission;
  userSockets: OpenCounts;
  /** Called for refused connections, as for operations over HTTP. */
  observer: Observer;
}

/**
 * Handles a connection_init, which counts as an operation: tokens cannot be guessed faster than operations are sent.
 * Its payload has the fields of the HTTP headers; the upgrade request's own headers are the fallback, which browsers
 * cannot set.
 * @returns whether the connection is acknowledged; a refused socket is closed with the reason
 */
export async function connectWith(
  { admission, userSockets, observer }: ConnectOptions,
  extra: Extra,
  payload: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { socket } = extra;
  try {
    const session = await admission.admit(socketCredentials(payload, extra.headers), extra.address);
    const closed = userSockets.open(session.viewer.userId);
    if (closed === null) {
      socket.close(CloseCode.tryLater, 'This user has reached the limit of open sockets');
      observer.operation(extra.callerOf(payload), session.viewer.userId).refuse('TOO_MANY_SOCKETS');
      return false;
    }
    const forget = atEnd(session, (reason) => {
      socket.close(CloseCode.forbidden, reason === 'expired' ? 'The token has expired' : 'The token was revoked');
    });
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

function socketCredentials(payload: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders): Credentials {
  const header = readHeader(headers);
  const given = (name: string): string | null => {
    const [, value] = Object.entries(payload).find(([key]) => key.toLowerCase() === name) ?? [];
    if (value === undefined || value === null) return header(name);
    // Any other value is present but invalid as a token or id; it may nest too deeply to be serialized.
    return typeof value === 'string' ? value : '';
  };
  return { ...credentialsOf(header, true), authorization: given('authorization'), userId: given('x-user-id') };
}
