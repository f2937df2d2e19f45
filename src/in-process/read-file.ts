import type { FileData, FileOfMessage } from '@parley/context';
import type { Viewer } from '../conversation/model.js';
import type { Files } from '../files/files.js';
import { FileStorageError } from '../files/file-storage.js';

/** @returns null for a file that the message does not contain, that the viewer may not read, or whose content is lost */
export async function readFile(
  files: Files,
  viewer: Viewer,
  { fileId, messageId }: FileOfMessage,
  maxBytes: number,
): Promise<FileData | null> {
  const file = await files.readable(viewer, fileId, messageId);
  if (file === null) return null;
  const { mediaType, size } = file;
  if (size > maxBytes) return { mediaType, size, content: null };
  try {
    const chunks = (await (await files.read(file, { start: 0, end: size - 1 })).toArray()) as Uint8Array[];
    return { mediaType, size, content: new Uint8Array(Buffer.concat(chunks)) };
  } catch (error) {
    if (error instanceof FileStorageError && (error.fault === 'MISSING' || error.fault === 'BROKEN')) return null;
    throw error;
  }
}
