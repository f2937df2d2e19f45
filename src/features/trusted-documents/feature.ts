/** Documents that clients request by hash: see docs/access/trusted-documents.md. */
import type { Feature } from '../../feature.js';
import type { DocumentOptions } from './settings.js';
import { checkTrustedDocuments, documentOf, useOnlyTrusted } from './trusted-documents.js';

export const trustedDocuments: Feature<DocumentOptions> = {
  check: ({ trustedDocuments }, schema) => {
    if (trustedDocuments !== undefined) checkTrustedDocuments(trustedDocuments, schema);
    return { trustedDocuments };
  },
  open: (_connection, { trustedDocuments: trusted }) => {
    if (trusted === undefined || trusted.mode === 'off') return {};
    return {
      serve: ({ isPublic }) => ({
        documentOf: (request) => documentOf(trusted, request),
        plugins: trusted.mode === 'only' ? [useOnlyTrusted(trusted, isPublic)] : [],
      }),
    };
  },
};
