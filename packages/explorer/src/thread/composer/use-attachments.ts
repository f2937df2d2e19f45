/** The files of a message that is being written: uploaded one after the other. */
import type { UploadedFile, UploadProgress } from '@parley/client/files';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useFiles } from '../../browser/files.js';

/** The largest number of files of a message. */
const MAX_ATTACHMENTS = 20;

export interface Attachment {
  readonly id: number;
  readonly name: string;
  progress: UploadProgress;
  /** Once it is uploaded. */
  uploaded?: UploadedFile;
  /** The reason of a failed upload. */
  error?: string;
  readonly uploading: AbortController;
}

export interface Attachments {
  attachments: readonly Attachment[];
  add(files: Iterable<File>): void;
  /** Also ends its upload. */
  remove(attachment: Attachment): void;
  clear(): void;
  /** Adds those of a refused message again. */
  putBack(attachments: readonly Attachment[]): void;
}

/** @param onRefused receives the reason when there are too many files */
export function useAttachments(onRefused: (message: string) => void): Attachments {
  const { uploadFile } = useFiles();
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const last = useRef<Promise<void>>(Promise.resolve());
  const nextId = useRef(0);
  const shown = useRef(attachments);
  useEffect(() => {
    shown.current = attachments;
  });
  // The uploads end with the thread.
  useEffect(() => () => shown.current.forEach(({ uploading }) => uploading.abort()), []);

  const change = useCallback(
    (id: number, changes: Partial<Attachment>) =>
      setAttachments((all) => all.map((each) => (each.id === id ? { ...each, ...changes } : each))),
    [],
  );
  const add = useCallback(
    (files: Iterable<File>) => {
      const given = [...files];
      const added = given.slice(0, MAX_ATTACHMENTS - shown.current.length).map((file): Attachment => {
        const attachment: Attachment = {
          id: nextId.current++,
          name: file.name,
          progress: { bytes: 0, of: file.size },
          uploading: new AbortController(),
        };
        const { id, uploading } = attachment;
        const options = {
          signal: uploading.signal,
          onProgress: (progress: UploadProgress) => change(id, { progress }),
        };
        last.current = last.current
          .then(() => uploadFile(file, options))
          .then(
            (uploaded) => change(id, { uploaded }),
            (reason: Error) => change(id, { error: reason.message }),
          );
        return attachment;
      });
      if (added.length < given.length) onRefused(`A message may have at most ${MAX_ATTACHMENTS} files.`);
      setAttachments((all) => [...all, ...added]);
    },
    [uploadFile, change, onRefused],
  );
  const remove = useCallback(({ id, uploading }: Attachment) => {
    uploading.abort();
    setAttachments((all) => all.filter((each) => each.id !== id));
  }, []);
  const clear = useCallback(() => setAttachments([]), []);
  const putBack = useCallback((refused: readonly Attachment[]) => setAttachments((all) => [...refused, ...all]), []);
  return { attachments, add, remove, clear, putBack };
}
