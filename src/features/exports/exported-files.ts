/** The files that exported messages refer to. A zip in Parley's format contains them. */
import type { Readable } from 'node:stream';
import type { StoredChat } from './archive.js';
import type { MessageFile } from '../../conversation/files/file-records.js';
import { fileReferences } from '../../conversation/files/file-references.js';

import { parley, type Writer } from '@parley/interchange/server';
import type { Files } from '../../files/files.js';
import { FileStorageError } from '../../files/file-storage.js';

/** The members of an ExportRequest that files depend on. */
interface FilesRequest {
  files?: Files | null;
  writer: Pick<Writer, 'name'>;
  userId: string | null;
  signal?: AbortSignal;
}

/** Their ids are in memory, and an import finds as many in a zip. */
export const MAX_EXPORTED_FILES = 100_000;

export class ExportedFiles {
  /** By the id of the file: one of the messages with it. */
  readonly messageOf = new Map<string, string>();
  /** Whether some were not noted. */
  hasMore = false;
  /** In the zip. */
  written = 0;
  /** Ids of files whose contents the storage lacks. */
  readonly missing: string[] = [];

  /** The chat, whose files are noted as its messages are read. */
  noting(chat: StoredChat): StoredChat {
    return { ...chat, messages: () => this.#noted(chat) };
  }

  async *#noted(chat: StoredChat): ReturnType<StoredChat['messages']> {
    for await (const rows of chat.messages()) {
      for (const { id, data } of rows) for (const { fileId } of fileReferences(data)) this.#note(fileId, id);
      yield rows;
    }
  }

  #note(fileId: string, messageId: string): void {
    if (this.messageOf.has(fileId)) return;
    if (this.messageOf.size < MAX_EXPORTED_FILES) this.messageOf.set(fileId, messageId);
    else this.hasMore = true;
  }
}

/**
 * The contents for a zip in Parley's format, each once; none for other formats. Read each before the next.
 * @throws Error for too many files
 */
export async function* filesToExport(
  { files = null, writer, userId, signal }: FilesRequest,
  noted: ExportedFiles,
): AsyncGenerator<MessageFile & { content: Readable }> {
  if (files === null || writer.name !== parley.name) return;
  if (noted.hasMore) {
    throw new Error(
      `A zip can contain at most ${MAX_EXPORTED_FILES} files: export the chats of each user by themselves`,
    );
  }
  const viewer = { userId: userId ?? '', isAdmin: userId === null };
  for (const [fileId, messageId] of noted.messageOf) {
    signal?.throwIfAborted();
    const file = await files.readable(viewer, fileId, messageId);
    // A text like a reference, or a chat that has been deleted meanwhile.
    if (file === null) continue;
    const content = await files.read(file, { start: 0, end: file.size - 1 }).catch((error: unknown) => {
      if (error instanceof FileStorageError && error.fault === 'MISSING') return null;
      throw error;
    });
    if (content === null) {
      noted.missing.push(fileId);
      continue;
    }
    yield { ...file, content };
    noted.written++;
  }
}
