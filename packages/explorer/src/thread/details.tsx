import type { Message } from '@parley/client';
import type { ReactNode } from 'react';
import { Modal } from '../design/modal.js';
import { DrawnOn } from './drawn-on.js';
import { JsonTree } from './json-tree.js';
import { factsOf } from './message-facts.js';
import './details.css';

/** A panel with the ids, the author, the tokens and the data of a message. */
export default function Details({ message, onClose }: { message: Message; onClose(): void }): ReactNode {
  const { id, parentId, seq, depth, createdBy, createdAt, type, data } = message;
  const { model, inputTokens, outputTokens } = factsOf(data);
  const tokens = [
    inputTokens !== null && `${inputTokens.toLocaleString('en')} in`,
    outputTokens !== null && `${outputTokens.toLocaleString('en')} out`,
  ]
    .filter((part) => part !== false)
    .join(', ');
  const rows: [name: string, value: string | null][] = [
    ['Id', id],
    ['Parent', parentId ?? 'none'],
    ['Position', `number ${seq} of the chat, depth ${depth}`],
    ['Author', createdBy],
    ['Saved', new Date(createdAt).toLocaleString()],
    ['Type', type],
    ['Model', model],
    ['Tokens', tokens || null],
  ];
  return (
    <Modal title="Details" isOpen className="details" onClose={onClose}>
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
      <section aria-label="Data" tabIndex={0} className="json-root">
        <JsonTree value={data} isOpen />
      </section>
    </Modal>
  );
}
