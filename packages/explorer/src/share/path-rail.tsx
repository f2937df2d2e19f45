import type { ReactNode } from 'react';
import { ROLE_NAMES } from '../thread/message-header.js';
import type { SharedMessage } from './read-share.js';

/** Characters of a label. */
const LABEL = 80;

interface PathRailProps {
  messages: readonly SharedMessage[];
  /** The depth of the message that is read. */
  current: number;
  onOpen(depth: number): void;
}

/** The messages of a share as a line of the graph, which a click or the keyboard follows. */
export function PathRail({ messages, current, onOpen }: PathRailProps): ReactNode {
  return (
    <ol className="path-rail">
      {messages.map((message) => (
        <li key={message.depth} data-role={message.name}>
          <button aria-current={message.depth === current ? 'true' : undefined} onClick={() => onOpen(message.depth)}>
            <span className="ellipsis" dir="auto">
              {labelOf(message)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The first line with words, without marks of Markdown. */
function labelOf({ text, name }: SharedMessage): string {
  const line = text.split('\n').find((each) => /\p{L}|\p{N}/u.test(each) && !each.startsWith('```'));
  const words = line?.replace(/^[\s#>*+-]+|[*_`|]+/g, '').trim();
  return words ? words.slice(0, LABEL) : (ROLE_NAMES[name] ?? name);
}
