/** Trusted documents that clients request by hash: see docs/access/trusted-documents.md. */
import { createHash } from 'node:crypto';
import { GraphQLError, parse, validate, type GraphQLSchema, type Source } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { DocumentRequest, IsPublic } from '../../feature.js';
import { documentHash, type TrustedDocuments } from './document-manifest.js';

/**
 * The text of the requested document.
 * @throws GraphQLError for an invalid or unknown hash, or a text with another hash
 */
export function documentOf(trusted: TrustedDocuments, { query, documentId }: DocumentRequest): string {
  if (documentId == null) return query;
  const hash = documentHash(documentId);
  if (hash === null) {
    throw refusal('documentId must be the sha256 of a document, as 64 lower-case hexadecimal digits', 'BAD_USER_INPUT');
  }
  const document = trusted.documents.get(hash);
  if (document === undefined) throw refusal('No document with this documentId is known', 'PERSISTED_QUERY_NOT_FOUND');
  if (query !== '' && query !== document) throw refusal('query is not the document of documentId', 'BAD_USER_INPUT');
  return document;
}

/** Refuses documents that the manifest lacks, unless they are public, over all transports: each parses its operations. */
export function useOnlyTrusted({ documents }: TrustedDocuments, isPublic: IsPublic): Plugin {
  const texts = new Set(documents.values());
  return {
    onParse({ params }) {
      const source = params.source as string | Source;
      const text = typeof source === 'string' ? source : source.body;
      if (texts.has(text) || isPublic(text)) return;
      throw refusal('This server runs only the documents of its manifest', 'PERSISTED_QUERY_ONLY');
    },
  };
}

/**
 * Checks that each document matches its hash and is valid.
 * @throws Error that lists all faults, one per line
 */
export function checkTrustedDocuments({ documents }: TrustedDocuments, schema: GraphQLSchema): void {
  const mistakes = Array.from(documents).flatMap(([hash, document]) =>
    mistakesOf(hash, document, schema).map((mistake) => `  ${hash} ${mistake}`),
  );
  if (mistakes.length > 0) throw new Error(`These trusted documents are wrong:\n${mistakes.join('\n')}`);
}

function mistakesOf(hash: string, document: string, schema: GraphQLSchema): string[] {
  const actual = createHash('sha256').update(document).digest('hex');
  if (actual !== hash) return [`is not the sha256 of its document, which is ${actual}`];
  try {
    return validate(schema, parse(document)).map(({ message }) => message);
  } catch (error) {
    if (error instanceof GraphQLError) return [error.message];
    throw error;
  }
}

function refusal(message: string, code: string): GraphQLError {
  // The status is for clients that accept application/graphql-response+json: others would take it as a network error.
  return new GraphQLError(message, { extensions: { code, http: { spec: true, status: 400 } } });
}
