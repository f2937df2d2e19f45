import type { Message } from '@parley/client';
import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { words } from '../words.js';
import { DrawnOn } from './drawn-on.js';
import { JsonTree } from './json-tree.js';
import { factsOf } from './message-facts.js';
import { threadWords } from './thread-words.js';
import './details.css';

/** A panel with the ids, the author, the tokens and the data of a message. */
export default function Details({ message, onClose }: { message: Message; onClose(): void }): ReactNode {
  const { id, parentId, seq, depth, createdBy, createdAt, type, data } = message;
  const { model, inputTokens, outputTokens } = factsOf(data);
  const { fields } = threadWords;
  const rows: [name: string, value: string | null][] = [
    [fields.id, id],
    [fields.parent, parentId ?? threadWords.root],
    [fields.position, threadWords.position(seq, depth)],
    [fields.author, createdBy],
    [fields.saved, new Date(createdAt).toLocaleString()],
    [fields.type, type],
    [fields.model, model],
    [fields.tokens, threadWords.tokens(inputTokens, outputTokens) || null],
  ];
  return (
    <Modal title={threadWords.details} isOpen className="details" onClose={onClose}>
      <dl>
        {rows.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ),
        )}
        <DrawnOn messageId={id} onLeave={onClose} />
      </dl>
      <section aria-label={words.data} tabIndex={0} className="json-root">
        <JsonTree value={data} isOpen />
      </section>
    </Modal>
  );
}
