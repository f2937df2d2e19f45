import type { ReactNode } from 'react';
import { ReadSources, type LinkedFragment } from '../generated/operations.js';
import { linkTo, placeOf } from '../place.js';
import { useAnswer } from '../use-answer.js';

/** Rows with links to the messages that a message draws on, and to those that draw on it; none without such messages. */
export function DrawnOn({ messageId, onLeave }: { messageId: string; onLeave(): void }): ReactNode {
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
