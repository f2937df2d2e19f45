import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { Admission } from './admission.js';
import { credentialsOf } from './credentials.js';
import { refuseRequest } from '../answers/refused-request.js';

/** The input of an operation's context, besides its document. */
export interface Initial {
  session: Session;
}

/** A request without credentials, which may only run a public document. */
export interface Stranger {
  /** The answer to any other operation. */
  refusalOfStranger: GraphQLError;
}

/** Bytes of the body of such a request. */
export const MAX_STRANGER_BODY_BYTES = 8 * 1024;

export function isStranger(serverContext: object): serverContext is Stranger {
  return 'refusalOfStranger' in serverContext;
}

/** The answer to a request without credentials that runs no public document, as if nothing had been read. */
export function refuseStranger(serverContext: Stranger): GraphQLError {
  // The log has no user for it.
  Object.assign(serverContext, { session: undefined });
  return serverContext.refusalOfStranger;
}

/** @throws Error for a request that reached a resolver without authentication */
export function sessionOf(initial: object): Session {
  const { session } = initial as Partial<Initial>;
  if (session === undefined) throw new Error('the request was not authenticated');
  return session;
}

/**
 * Authenticates each request before anything in it is read.
 * @param addressOf returns the address of a request as limits count it
 */
export function useIdentity(admission: Admission, addressOf: (request: IncomingMessage) => string): Plugin {
  return {
    async onRequest({ request, serverContext, fetchAPI, endResponse }) {
      // Browsers send preflights without credentials.
      if (request.method === 'OPTIONS') return;
      const { req } = serverContext as { req?: IncomingMessage };
      // A link or an image of another page sends a GET request.
      const credentials = credentialsOf((name) => request.headers.get(name), request.method === 'POST');
      try {
        const address = req === undefined ? null : addressOf(req);
        const session = await admission.admit(credentials, address).catch((error: unknown) => {
          if (req === undefined || !isUnauthenticated(error) || !mayBeStranger(req)) throw error;
          return admitStranger(admission, addressOf(req), error, serverContext);
        });
        Object.assign(serverContext, { session } satisfies Initial);
      } catch (error) {
        if (!(error instanceof GraphQLError)) throw error;
        endResponse(refuseRequest(error, serverContext, fetchAPI));
      }
    },
  };
}

/** Whether a request is as small as one of a public document, and has no credentials. */
function mayBeStranger({ method, headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? Infinity);
  return method === 'POST' && headers.authorization === undefined && length <= MAX_STRANGER_BODY_BYTES;
}

/** Decided when the document is known: see useJsonBody. */
async function admitStranger(
  admission: Admission,
  address: string,
  refusalOfStranger: GraphQLError,
  serverContext: object,
): Promise<Session> {
  // The user of limits: one for each address.
  const session: Session = { viewer: { userId: `anonymous@${address}`, isAdmin: false }, expiresAt: null };
  await admission.countUser(session);
  Object.assign(serverContext, { refusalOfStranger } satisfies Stranger);
  return session;
}

function isUnauthenticated(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && error.extensions['code'] === 'UNAUTHENTICATED';
}
