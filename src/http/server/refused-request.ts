import type { GraphQLError } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { publicError } from '../subscriptions/answer.js';

/** What is known of a request that goes no further: for whoever tells what became of it. */
export interface Refused {
  refusal: GraphQLError;
}

/** The answer to a request that goes no further. */
export function refuseRequest(
  refusal: GraphQLError,
  serverContext: object,
  { Response }: Pick<FetchAPI, 'Response'>,
): Response {
  Object.assign(serverContext, { refusal } satisfies Refused);
  const { status = 500, headers } = (refusal.extensions['http'] ?? {}) as ResponseInit;
  return Response.json({ errors: [publicError(refusal)] }, { status, ...(headers && { headers }) });
}
