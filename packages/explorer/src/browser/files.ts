import type { Files } from '@parley/client/files';
import { createContext, useContext, useState } from 'react';
import { useRead } from '../requests/use-read.js';

/** Shared by all messages, so that one request signs the URLs of all that are shown. */
export const FilesContext = createContext<Files | null>(null);

export function useFiles(): Files {
  const files = useContext(FilesContext);
  if (files === null) throw new Error('FilesContext has no provider');
  return files;
}

/** A signed URL of a file; null until it is known, and for a file that cannot be read. @param messageId null for an unsaved message */
export function useSignedUrl(fileId: string, messageId: string | null): string | null {
  const files = useFiles();
  const [url, setUrl] = useState<string | null>(null);
  useRead(
    async (signal) => {
      if (messageId === null) return;
      const signed = await files.signedUrl(fileId, messageId).catch(() => null);
      if (!signal.aborted) setUrl(signed?.url ?? null);
    },
    [files, fileId, messageId],
  );
  return url;
}
