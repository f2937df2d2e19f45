/** Documents that are known beforehand, and asked for by their hash: see docs/trusted-documents.md. */
import { createHash } from 'node:crypto';
import { GraphQLError, parse, validate, type Source } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { schema } from '../../graphql/schema.js';
import { documentHash, type TrustedDocuments } from './document-manifest.js';

/** Every document comes as a text. */
export const NO_TRUSTED_DOCUMENTS: TrustedDocuments = { mode: 'off', documents: new Map() };

/** What a client says of the document that it wants to run. */
interface DocumentRequest {
  /** Its text: empty, where a protocol demands one, is as good as none. */
  query: string;
  documentId?: unknown;
}

/**
 * The text of the document that a client asks for.
 * @throws GraphQLError when it asks by a hash that is none, that is unknown, or that belongs to another text
 */
export function documentOf(trusted: TrustedDocuments, { query, documentId }: DocumentRequest): string {
  if (documentId == null) return query;
  if (trusted.mode === 'off') {
    throw refusal('This server knows no documents beforehand: send query in place of documentId', 'BAD_USER_INPUT');
  }
  const hash = documentHash(documentId);
  if (hash === null) {
    throw refusal(
      'documentId must be the sha256 of a document, as 64 hexadecimal digits in small letters',
      'BAD_USER_INPUT',
    );
  }
  const document = trusted.documents.get(hash);
  if (document === undefined) throw refusal('No document with this documentId is known', 'PERSISTED_QUERY_NOT_FOUND');
  if (query !== '' && query !== document) throw refusal('query is not the document of documentId', 'BAD_USER_INPUT');
  return document;
}

/** Finds the document that a request over HTTP asks for by its hash, and refuses unknown ones over any transport. */
export function useTrustedDocuments(trusted: TrustedDocuments): Plugin {
  const texts = new Set(trusted.documents.values());
  return {
    onParams({ params, request, setParams }) {
      // It is whatever JSON the client has sent.
      if (typeof params !== 'object' || (params as unknown) === null) return;
      const { documentId = inUrl(request), ...others } = params as typeof params & { documentId?: unknown };
      const query = (others.query as unknown) ?? '';
      // What is no text is refused by the next.
      if (documentId == null || typeof query !== 'string') return;
      setParams({ ...others, query: documentOf(trusted, { query, documentId }) });
    },
    // Here, and not where requests come in: every transport parses what it is going to run.
    onParse({ params }) {
      const source = params.source as string | Source;
      if (trusted.mode !== 'only' || texts.has(typeof source === 'string' ? source : source.body)) return;
      throw refusal('This server runs the documents of its manifest only', 'PERSISTED_QUERY_ONLY');
    },
  };
}

function inUrl({ method, url }: Request): string | null {
  return method === 'GET' ? new URL(url).searchParams.get('documentId') : null;
}

/**
 * Makes sure that each document is what its hash says, and can be run.
 * @throws Error that lists every one that is not, one a line
 */
export function checkTrustedDocuments({ documents }: TrustedDocuments): void {
  const mistakes = Array.from(documents).flatMap(([hash, document]) =>
    mistakesOf(hash, document).map((mistake) => `  ${hash} ${mistake}`),
  );
  if (mistakes.length > 0) throw new Error(`These trusted documents are wrong:\n${mistakes.join('\n')}`);
}

function mistakesOf(hash: string, document: string): string[] {
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
  // The status is for clients that take application/graphql-response+json: for the others it would be the network's.
  return new GraphQLError(message, { extensions: { code, http: { spec: true, status: 400 } } });
}
