/** Trusted documents, and the manifest file that lists them, in the format of GraphQL Code Generator. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../system/message-of.js';

export interface TrustedDocuments {
  /** Whether documents can be requested by their hash, and whether others are refused. */
  mode: 'off' | 'allow' | 'only';
  /** By sha256, as 64 hexadecimal digits. */
  documents: ReadonlyMap<string, string>;
}

/**
 * Reads a manifest: a JSON object of documents by hash.
 * @returns the documents by sha256, as 64 hexadecimal digits
 * @throws Error with the fault of the file
 */
export function readManifest(path: string): Map<string, string> {
  const content = parsed(textOf(path));
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error('must hold a JSON object of documents by their sha256');
  }
  const documents = Object.entries(content).map(([id, document]): [string, string] => {
    const hash = documentHash(id);
    if (hash === null)
      throw new Error(`has the key ${JSON.stringify(id)}, which is no sha256 as 64 hexadecimal digits`);
    if (typeof document !== 'string') throw new Error(`has a document that is no text, ${id}`);
    return [hash, document];
  });
  return new Map(documents);
}

/** The digits of a document id, which may begin with the algorithm; null for an invalid id. */
export function documentHash(id: unknown): string | null {
  return (typeof id === 'string' && /^(?:sha256:)?([0-9a-f]{64})$/.exec(id)?.[1]) || null;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is no JSON: ${messageOf(error)}`, { cause: error });
  }
}
