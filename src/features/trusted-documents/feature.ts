/** Documents that clients request by hash: see docs/access/trusted-documents.md. */
import type { Feature } from '../../feature.js';
import type { TrustedDocuments } from './document-manifest.js';
import { checkTrustedDocuments, documentOf, useOnlyTrusted } from './trusted-documents.js';

export interface TrustedDocumentSettings {
  /**
   * Documents that clients may request by hash, and whether others are refused: see docs/access/trusted-documents.md.
   * @default { mode: 'off', documents: new Map() }
   */
  trustedDocuments?: TrustedDocuments | undefined;
}

export const trustedDocuments: Feature<TrustedDocumentSettings> = {
  name: 'trusted-documents',
  check: ({ trustedDocuments }, schema) => {
    if (trustedDocuments !== undefined) checkTrustedDocuments(trustedDocuments, schema);
    return { trustedDocuments };
  },
  open: (_connection, { trustedDocuments: trusted }) => {
    if (trusted === undefined || trusted.mode === 'off') return {};
    const plugins = trusted.mode === 'only' ? [useOnlyTrusted(trusted)] : [];
    return { serve: () => ({ documentOf: (request) => documentOf(trusted, request), plugins }) };
  },
};
