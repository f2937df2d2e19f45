import type { GraphQLError } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { publicError } from './answer.js';

export interface Refused {
  refusal: GraphQLError;
}

export function refuseRequest(
  refusal: GraphQLError,
  serverContext: object,
  { Response }: Pick<FetchAPI, 'Response'>,
): Response {
  Object.assign(serverContext, { refusal } satisfies Refused);
  const { status = 500, headers } = (refusal.extensions['http'] ?? {}) as ResponseInit;
  return Response.json({ errors: [publicError(refusal)] }, { status, ...(headers && { headers }) });
}
