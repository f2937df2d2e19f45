import { createFiles, type FilePart } from '@parley/client/files';
import { useState } from 'react';

const files = createFiles({ url: '/graphql' });

interface Attachment {
  id: string;
  name: string;
  /** The share that has been sent. */
  sent: number;
  /** The part of the message, once the file is stored. */
  part?: FilePart;
  error?: string;
  /** Also cancels the upload. */
  remove: () => void;
}

/** Files are uploaded as soon as they are chosen; messages refer to them. */
export function useAttachments() {
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const add = (file: File) => {
    const id = crypto.randomUUID();
    const aborting = new AbortController();
    const change = (fields: Partial<Attachment>) =>
      setAttachments((all) => all.map((each) => (each.id === id ? { ...each, ...fields } : each)));
    const remove = () => {
      aborting.abort();
      setAttachments((all) => all.filter((each) => each.id !== id));
    };
    setAttachments((all) => [...all, { id, name: file.name, sent: 0, remove }]);
    const onProgress = ({ bytes, of }: { bytes: number; of: number }) => change({ sent: bytes / of });
    files.uploadFile(file, { signal: aborting.signal, onProgress }).then(
      ({ mediaType, reference }) => change({ part: { type: 'file', mediaType, filename: file.name, url: reference } }),
      (error: Error) => change({ error: error.message }),
    );
  };
  return { attachments, add, clear: () => setAttachments([]) };
}

/** The chosen files, with their progress. */
export const Attachments = ({ attachments }: { attachments: Attachment[] }) =>
  attachments.map(({ id, name, sent, part, error, remove }) => (
    <p key={id}>
      {name} {error ?? (part === undefined && <progress aria-label={`Upload of ${name}`} value={sent} />)}
      <button type="button" aria-label={`Remove ${name}`} onClick={remove}>
        {part === undefined && error === undefined ? 'Cancel' : 'Remove'}
      </button>
    </p>
  ));

/** The file parts of a message. */
export const partsOf = (data: unknown): FilePart[] =>
  ((data as { parts?: FilePart[] } | null)?.parts ?? []).filter(({ type }) => type === 'file');

/** Needs `files.signedUrl` instead of `fileUrl` where Parley requires tokens. */
export function StoredFile({ part: { url, filename, mediaType }, messageId }: { part: FilePart; messageId: string }) {
  const address = files.fileUrl(url, messageId);
  if (mediaType.startsWith('image/')) return <img src={address} alt={filename ?? ''} width="200" />;
  return <a href={address}>{filename ?? url}</a>;
}
