import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { Admission } from './admission.js';
import { refuseRequest, type Refused } from './refused-request.js';

/** The input of an operation's context, besides its document. */
export interface Initial {
  session: Session;
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
      try {
        const session = await admitRequest(admission, request, addressOf, serverContext);
        Object.assign(serverContext, { session } satisfies Initial);
      } catch (error) {
        if (!(error instanceof GraphQLError)) throw error;
        endResponse(refuseRequest(error, serverContext, fetchAPI));
      }
    },
  };
}

/**
 * Authenticates and counts a request.
 * @throws GraphQLError as Admission does
 */
export async function admitRequest(
  admission: Admission,
  { headers }: Request,
  addressOf: (request: IncomingMessage) => string,
  serverContext: object,
): Promise<Session> {
  const { req } = serverContext as { req?: IncomingMessage };
  const credentials = { authorization: headers.get('authorization'), userId: headers.get('x-user-id') };
  try {
    return await admission.admit(credentials, req === undefined ? null : addressOf(req));
  } catch (error) {
    if (error instanceof GraphQLError) Object.assign(serverContext, { refusal: error } satisfies Refused);
    throw error;
  }
}
