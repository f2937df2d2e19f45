/** The settings of trusted documents: two variables that are one option. */
import { z } from 'zod';
import { parsed, setting } from '../../settings/declare-setting.js';
import type { Fault, Reader } from '../../settings/read-environment.js';
import { readManifest, type TrustedDocuments } from './document-manifest.js';

export interface DocumentOptions {
  /**
   * Documents that clients may request by hash, and whether others are refused: see docs/access/trusted-documents.md.
   * @default { mode: 'off', documents: new Map() }
   */
  trustedDocuments?: TrustedDocuments | undefined;
}

/** By the names of TrustedDocuments. */
const documentSettings = {
  mode: setting('TRUSTED_DOCUMENTS', z.enum(['off', 'allow', 'only'], 'must be off, allow or only'), {
    byDefault: 'off',
  }).means(
    '`allow` also accepts documents by hash; `only` accepts no others: see [Trusted documents](access/trusted-documents.md)',
  ),
  documents: setting('TRUSTED_DOCUMENTS_MANIFEST', parsed(readManifest)).means('The file that contains them'),
};

/** A manifest is needed, unless the mode is off. */
export const documentRules = {
  declared: documentSettings,
  faultsOf: (read: Reader): Fault[] => {
    const { mode, documents } = read(documentSettings);
    if (mode === 'off' || documents !== undefined) return [];
    const message = 'must name a file of documents, unless TRUSTED_DOCUMENTS is off';
    return [{ variable: 'TRUSTED_DOCUMENTS_MANIFEST', message }];
  },
  optionsOf: (read: Reader): DocumentOptions => {
    const { mode, documents } = read(documentSettings);
    return { trustedDocuments: mode === 'off' || documents === undefined ? undefined : { mode, documents } };
  },
};
