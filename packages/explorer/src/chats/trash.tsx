import { DeleteChat } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { Modal } from '../design/modal.js';
import { ReadDeleted, type ReadDeletedQuery } from '../generated/operations.js';
import { TextPrompt } from '../text-prompt.js';
import { useRead } from '../requests/use-read.js';
import { useRestoration } from './deletion.js';
import './trash.css';

/** The deleted chats of the user: restores them, or removes them for good. */
export default function Trash({ onClose }: { onClose(): void }): ReactNode {
  const parley = useParley();
  const restore = useRestoration();
  const [page, setPage] = useState<ReadDeletedQuery['deletedChats'] | null>(null);
  const [changes, setChanges] = useState(0);
  const [failed, setFailed] = useRead(
    (signal) => parley.run(ReadDeleted, {}, signal).then(({ deletedChats }) => setPage(deletedChats)),
    [parley, changes],
  );
  const change = async (work: Promise<unknown>) => {
    setFailed('');
    await work.catch((reason: Error) => setFailed(reason.message));
    setChanges((count) => count + 1);
  };
  const more = async () => {
    const { deletedChats } = await parley.run(ReadDeleted, { after: page?.pageInfo.endCursor ?? null });
    setPage((known) => ({ ...deletedChats, edges: [...(known?.edges ?? []), ...deletedChats.edges] }));
  };
  return (
    <Modal title="Deleted chats" isOpen className="is-wide" onClose={onClose}>
      {failed !== '' && <p role="alert">{failed}</p>}
      {page === null && failed === '' && <p className="hint">Loading…</p>}
      {page?.edges.length === 0 && <p className="hint">There are no deleted chats.</p>}
      <ul className="dialog-list trash" aria-label="Deleted chats">
        {page?.edges.map(({ node: { id, title, deletedAt, restorableUntil } }) => (
          <li key={id}>
            <span>
              <b dir="auto">{title ?? 'Untitled'}</b>
              <small>
                Deleted {timeOf(deletedAt)}, can be restored until {timeOf(restorableUntil)}
              </small>
            </span>
            <Button onClick={() => void change(restore([id]))}>Restore</Button>
            <TextPrompt
              action="Delete for good"
              label={`Type ${title ?? id} to delete it`}
              expected={title ?? id}
              onAnswer={() => void change(parley.run(DeleteChat, { input: { chatId: id, permanently: true } }))}
            />
          </li>
        ))}
      </ul>
      {page?.pageInfo.hasNextPage && <Button onClick={() => void more()}>Show more</Button>}
    </Modal>
  );
}

const timeOf = (time: string) => new Date(time).toLocaleString();
