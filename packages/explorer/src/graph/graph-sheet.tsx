import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { linkTo } from '../place.js';
import Graph from './graph.js';

/** The graph over the thread, on small screens: a selected message closes it, and the thread shows the message. */
export default function GraphSheet({ chatId, messageId }: { chatId: string; messageId: string | null }): ReactNode {
  const close = () => (location.hash = linkTo({ chatId, view: 'thread', messageId }));
  return (
    <Modal title="Graph" isOpen className="sheet" onClose={close}>
      <Graph chatId={chatId} messageId={messageId} />
    </Modal>
  );
}
