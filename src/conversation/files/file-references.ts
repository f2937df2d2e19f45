/** The files that the data of a message refers to. */
import { nameFault } from '../bounds.js';
import { isJsonObject } from '../text/merge-patch.js';

/** `parley:file:` and the SHA-256 of the content in hex, as a complete string in the data. */
const REFERENCE = /^parley:file:([0-9a-f]{64})$/;
const PREFIX = 'parley:file:';

/** Files that one message may refer to, repetitions included. */
const MAX_FILES_PER_MESSAGE = 256;

/** Members with the name of a file, in the order of their preference. */
const NAME_MEMBERS = ['filename', 'fileName', 'file_name', 'name', 'title'];

export interface FileReference {
  fileId: string;
  /** The name next to the reference; null without one. */
  name: string | null;
}

/** A string in JSON, except the texts of parts, with the name of the object around it. */
export interface NamedString {
  value: string;
  name: string | null;
}

export const referenceTo = (fileId: string): string => `${PREFIX}${fileId}`;

/** A quick test, without parsing: false for data without references. */
export const mayHaveFiles = (data: string): boolean => data.includes(PREFIX);

/**
 * In the order of the data.
 * @param data JSON text
 */
export function fileReferences(data: string): FileReference[] {
  if (!data.includes(PREFIX)) return [];
  const found: FileReference[] = [];
  for (const { value, name } of stringsIn(JSON.parse(data))) {
    const fileId = REFERENCE.exec(value)?.[1];
    if (fileId !== undefined) found.push({ fileId, name });
  }
  return found;
}

/** @returns the reason that a message must not have so many references, beginning with `must`; null if it may */
export function referencesFault({ length }: readonly FileReference[]): string | null {
  return length > MAX_FILES_PER_MESSAGE ? `must refer to at most ${MAX_FILES_PER_MESSAGE} files, not ${length}` : null;
}

/** In document order. Walks without recursion: checked JSON may still nest deeply. */
export function* stringsIn(root: unknown): Generator<NamedString> {
  const open: { value: unknown; name: string | null }[] = [{ value: root, name: null }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, name } = item;
    if (typeof value === 'string') yield { value, name };
    // Not spread: a message may have more elements than a call has arguments.
    else if (Array.isArray(value)) for (const element of value.toReversed()) open.push({ value: element, name });
    else if (isJsonObject(value)) {
      const own = nameIn(value) ?? name;
      // A user has written a text that consists of a reference.
      for (const [key, member] of Object.entries(value).reverse())
        if (key !== 'text') open.push({ value: member, name: own });
    }
  }
}

function nameIn(value: Record<string, unknown>): string | null {
  for (const member of NAME_MEMBERS) {
    const name = value[member];
    if (typeof name === 'string' && nameFault(name) === null) return name;
  }
  return null;
}
