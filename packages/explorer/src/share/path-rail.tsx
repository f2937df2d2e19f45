import type { ReactNode } from 'react';
import { ROLE_NAMES } from '../thread/message-header.js';
import { counted } from '../words.js';
import { LANE_COLORS } from '../graph/scene/lane-colors.js';
import { commonCount, nameOf } from './branches.js';
import type { SharedBranch, SharedMessage } from './read-share.js';

/** Characters of a label. */
const LABEL = 80;

interface PathRailProps {
  messages: readonly SharedMessage[];
  /** The depth of the message that is read. */
  current: number;
  branches: readonly SharedBranch[];
  /** The key of the open branch. */
  branch: string;
  onOpen(depth: number): void;
  onOpenBranch(key: string): void;
}

/**
 * The messages of a branch as a line of the graph, which a click or the keyboard follows, and the other branches where
 * they leave it.
 */
export function PathRail({ messages, current, branches, branch, onOpen, onOpenBranch }: PathRailProps): ReactNode {
  const leaving = branches
    .filter(({ key }) => key !== branch)
    .map((other) => ({ other, count: commonCount(branches, branch, other.key) }));
  const leavingAt = (count: number) =>
    leaving
      .filter((each) => each.count === count)
      .map(({ other }) => (
        <button
          key={other.key}
          className="path-fork"
          data-lane={laneOf(other.key)}
          onClick={() => onOpenBranch(other.key)}
        >
          <span className="ellipsis" dir="auto">
            {nameOf(other)}
          </span>
          <small>{counted(other.messageCount - count, 'other message')}</small>
        </button>
      ));
  return (
    <ol className="path-rail" data-lane={laneOf(branch)}>
      {leavingAt(0).length > 0 && <li>{leavingAt(0)}</li>}
      {messages.map((message) => (
        <li key={message.depth} data-role={message.name}>
          <button aria-current={message.depth === current ? 'true' : undefined} onClick={() => onOpen(message.depth)}>
            <span className="ellipsis" dir="auto">
              {labelOf(message)}
            </span>
          </button>
          {leavingAt(message.depth + 1)}
        </li>
      ))}
    </ol>
  );
}

/** The colour of a branch, which it keeps. */
export const laneOf = (key: string): number => (Number(key) % LANE_COLORS) + 1;

/** The first line with words, without marks of Markdown. */
function labelOf({ text, name }: SharedMessage): string {
  const line = text.split('\n').find((each) => /\p{L}|\p{N}/u.test(each) && !each.startsWith('```'));
  const words = line?.replace(/^[\s#>*+-]+|[*_`|]+/g, '').trim();
  return words ? words.slice(0, LABEL) : (ROLE_NAMES[name] ?? name);
}
