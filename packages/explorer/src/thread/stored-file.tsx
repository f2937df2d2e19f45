import { Paperclip } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { FilesOfMessage } from '../generated/operations.js';
import { useSignedUrl } from '../browser/files.js';
import { lazyPart } from '../lazy-part.js';
import { useAnswer } from '../requests/use-answer.js';
import { bytes } from '../words.js';

const ImageDialog = lazyPart(() => import('./image-dialog.js'));

interface StoredFileProps {
  fileId: string;
  name: string;
  /** Null until the message is saved: its files cannot be read before. */
  messageId: string | null;
}

/** A thumbnail that opens the image in its full size. */
export function StoredImage(props: StoredFileProps): ReactNode {
  const { fileId, name, messageId } = props;
  const url = useSignedUrl(fileId, messageId);
  const [isOpen, setIsOpen] = useState(false);
  /** The URL that the browser could not show. */
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (url !== null && url === brokenUrl) return <StoredFile {...props} />;
  return (
    <>
      <button
        className="thumbnail"
        aria-label={`Open the image ${name}`}
        disabled={url === null}
        onClick={() => setIsOpen(true)}
      >
        {url !== null && <img src={url} alt="" loading="lazy" onError={() => setBrokenUrl(url)} />}
      </button>
      {isOpen && <ImageDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** A link with the name and the size. */
export function StoredFile({ fileId, name, messageId }: StoredFileProps): ReactNode {
  const url = useSignedUrl(fileId, messageId);
  const size = useSize(fileId, messageId);
  const label = `${name}${size === null ? '' : ` (${bytes(size)})`}`;
  if (url === null) return <p dir="auto">{label}</p>;
  return (
    <a className="chip" href={url} target="_blank" rel="noreferrer noopener" dir="auto">
      <Paperclip aria-hidden />
      {label}
    </a>
  );
}

/** In bytes; null until it is known. */
function useSize(fileId: string, messageId: string | null): number | null {
  const read = useAnswer(FilesOfMessage, messageId === null ? null : { id: messageId });
  return read?.message?.files.find(({ file }) => file.id === fileId)?.file.size ?? null;
}
