import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { useSignedUrl } from '../browser/files.js';

interface ImageDialogProps {
  fileId: string;
  name: string;
  messageId: string | null;
  onClose(): void;
}

/** An image in its full size. */
export default function ImageDialog({ fileId, name, messageId, onClose }: ImageDialogProps): ReactNode {
  // The URL of the thumbnail may have expired.
  const url = useSignedUrl(fileId, messageId);
  return (
    <Modal title={name} isOpen className="image-dialog" onClose={onClose}>
      {url !== null && <img src={url} alt={name} />}
      {url !== null && (
        <a className="button" href={`${url}&download=true`} download={name}>
          Download
        </a>
      )}
    </Modal>
  );
}
