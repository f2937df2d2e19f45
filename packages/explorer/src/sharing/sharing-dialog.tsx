import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { Links } from './links.js';
import { People } from './people.js';
import { useSharing } from './use-sharing.js';
import './sharing.css';

interface SharingDialogProps {
  chatId: string;
  /** The last message of new links; null for the head of the active branch. */
  messageId: string | null;
  onClose(): void;
}

/** The links to a chat and the users with access to it, which owners change. */
export default function SharingDialog({ chatId, messageId, onClose }: SharingDialogProps): ReactNode {
  const { sharing, failed, change } = useSharing(chatId);
  return (
    <Modal title="Share" isOpen className="is-wide" onClose={onClose}>
      {failed !== '' && <p role="alert">{failed}</p>}
      {sharing === null ? (
        failed === '' && <p className="hint">Loading…</p>
      ) : (
        <>
          <People {...{ sharing, change, onClose }} />
          {sharing.viewerRole === 'OWNER' && <Links {...{ sharing, change, messageId }} />}
        </>
      )}
    </Modal>
  );
}
