import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { Admission } from './admission.js';
import { refuseRequest, type Refused } from './refused-request.js';

/** What comes with every operation, beside its document, before its context is made. */
export interface Initial {
  session: Session;
}

/** Throws for a request that reached a resolver without authentication. */
export function sessionOf(initial: object): Session {
  const { session } = initial as Partial<Initial>;
  if (session === undefined) throw new Error('the request was not authenticated');
  return session;
}

/**
 * Finds out who sends a request. Whoever is not admitted learns no more than that: nothing of the request is looked at.
 * @param addressOf tells a request's address, as limits count it
 */
export function useIdentity(admission: Admission, addressOf: (request: IncomingMessage) => string): Plugin {
  return {
    async onRequest({ request, serverContext, fetchAPI, endResponse }) {
      // A browser asks without credentials whether it may ask.
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
 * Who sends a request; it is counted.
 * @throws GraphQLError as Admission has it
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
