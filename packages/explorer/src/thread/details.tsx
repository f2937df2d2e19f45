import type { Message } from '@parley/client';
import { type ReactNode, useState } from 'react';
import { Modal } from '../design/modal.js';
import { costIn, durationIn, factsOf, tokensIn } from './message-facts.js';
import { ReadSources, type LinkedFragment } from '../generated/operations.js';
import { linkTo, placeOf } from '../place.js';
import { useAnswer } from '../requests/use-answer.js';
import './details.css';

/** A panel with the ids, the author, the tokens and the data of a message. */
export default function Details({ message, onClose }: { message: Message; onClose(): void }): ReactNode {
  const { id, parentId, seq, depth, createdBy, createdAt, type, data } = message;
  const facts = factsOf(data);
  const rows: [name: string, value: string | null][] = [
    ['Id', id],
    ['Parent', parentId ?? 'none'],
    ['Position', `number ${seq} of the chat, depth ${depth}`],
    ['Author', createdBy],
    ['Saved', new Date(createdAt).toLocaleString()],
    ['Type', type],
    ['Model', facts.model],
    ['Tokens', tokensIn(facts)],
    ['Cost', costIn(facts)],
    ['Duration', durationIn(facts)],
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

/** Rows with links to the messages that a message draws on, and to those that draw on it; none without such messages. */
function DrawnOn({ messageId, onLeave }: { messageId: string; onLeave(): void }): ReactNode {
  const read = useAnswer(ReadSources, { id: messageId })?.message;
  if (!read) return null;
  const { sources, drawnOnBy } = read;
  const drawing = drawnOnBy.edges.map(({ node }) => node);
  return (
    <>
      <Links name="Draws on" messages={sources} more={0} onLeave={onLeave} />
      <Links name="Drawn on by" messages={drawing} more={drawnOnBy.totalCount - drawing.length} onLeave={onLeave} />
    </>
  );
}

interface LinksProps {
  name: string;
  messages: readonly LinkedFragment[];
  /** The number of messages that were not read. */
  more: number;
  onLeave(): void;
}

function Links({ name, messages, more, onLeave }: LinksProps): ReactNode {
  const { chatId } = placeOf(location.hash);
  if (messages.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <ul>
          {messages.map((message) => (
            <li key={message.id} dir="auto">
              <a href={linkTo({ chatId, messageId: message.id })} onClick={onLeave}>
                {`${message.name}: ${message.preview}`}
              </a>
            </li>
          ))}
          {more > 0 && <li>{`${more.toLocaleString('en')} more`}</li>}
        </ul>
      </dd>
    </div>
  );
}

/** The number of members of an object or array that are shown, and the characters of a text. */
const MAX_MEMBERS = 200;
const MAX_TEXT_LENGTH = 2_000;

/** A JSON value as a tree, whose branches are rendered when they are opened. @param name of the value in its parent */
function JsonTree({ value, name, isOpen = false }: { value: unknown; name?: string; isOpen?: boolean }): ReactNode {
  const [isShown, setIsShown] = useState(isOpen);
  const key = name !== undefined && <span className="json-key">{JSON.stringify(name)}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-leaf">
        {key}
        <span data-kind={value === null ? 'null' : typeof value}>{leafText(value)}</span>
      </div>
    );
  }
  const members = Object.entries(value as Record<string, unknown>);
  return (
    <details className="json" open={isOpen} onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}>
      <summary>
        {key}
        <small>
          {Array.isArray(value) ? '[ ]' : '{ }'}{' '}
          {members.length === 1 ? '1 item' : `${members.length.toLocaleString('en')} items`}
        </small>
      </summary>
      {isShown &&
        members.slice(0, MAX_MEMBERS).map(([each, member]) => <JsonTree key={each} name={each} value={member} />)}
      {isShown && members.length > MAX_MEMBERS && <div className="json-leaf">…</div>}
    </details>
  );
}

function leafText(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_TEXT_LENGTH)) : String(value);
  return typeof value === 'string' && value.length > MAX_TEXT_LENGTH ? `${text}…` : text;
}
