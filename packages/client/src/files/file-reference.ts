/** References to files in the data of messages. */

/** A file as a message contains it. */
export interface FileOfMessage {
  /** `parley:file:<id>`, or the id alone. */
  file: string;
  /** A message that contains the file. */
  messageId: string;
}

/** The id of the file that a value refers to; null for any other value. */
export const referencedFileId = (value: unknown): string | null =>
  (typeof value === 'string' && /^parley:file:([0-9a-f]{64})$/.exec(value)?.[1]) || null;

/** @throws TypeError for a value that is neither a reference nor an id */
export function fileIdOf(file: string): string {
  const id = referencedFileId(file) ?? (/^[0-9a-f]{64}$/.test(file) ? file : null);
  if (id === null) throw new TypeError('file must be parley:file: and an id of 64 hex digits, or the id alone');
  return id;
}
