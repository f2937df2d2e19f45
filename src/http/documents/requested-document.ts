/** The document of a request, which a feature may find by its id. */
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { DocumentOf } from '../../feature.js';

/** Without such a feature, all documents arrive as text. */
export const documentOfText: DocumentOf = ({ query, documentId }) => {
  if (documentId == null) return query;
  const message = 'This server has no documents with ids: send query instead of documentId';
  // The status is for clients that accept application/graphql-response+json: others would take it as a network error.
  throw new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { spec: true, status: 400 } } });
};

/** Resolves documents that are requested by their id over HTTP. */
export function useRequestedDocuments(documentOf: DocumentOf): Plugin {
  return {
    onParams({ params, request, setParams }) {
      // The parameters can be any JSON.
      if (typeof params !== 'object' || (params as unknown) === null) return;
      const ofUrl = request.method === 'GET' ? new URL(request.url).searchParams.get('documentId') : null;
      const { documentId = ofUrl, ...others } = params as typeof params & { documentId?: unknown };
      const query = (others.query as unknown) ?? '';
      // Another plugin refuses a query that is not text.
      if (documentId == null || typeof query !== 'string') return;
      setParams({ ...others, query: documentOf({ query, documentId }) });
    },
  };
}
