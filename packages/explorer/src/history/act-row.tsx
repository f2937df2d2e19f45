import type { Branch } from '@parley/client';
import {
  Bookmark,
  ChevronRight,
  CirclePlus,
  CornerUpLeft,
  Ellipsis,
  GitBranch,
  GitBranchPlus,
  MessageSquare,
  MoveRight,
  Pencil,
  RefreshCw,
  RotateCcw,
  Sparkles,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { LANE_COLORS } from '../graph/scene/lane-colors.js';
import type { Chains } from '../miniature/chains.js';
import { Miniature } from '../miniature/miniature.js';
import type { Act, ActKind } from './acts.js';
import { EventText } from './event-text.js';

const KINDS: Record<ActKind, readonly [icon: LucideIcon, text: string]> = {
  started: [CirclePlus, 'Started the chat'],
  asked: [MessageSquare, 'Asked on'],
  edited: [Pencil, 'Edited the question'],
  retried: [RefreshCw, 'Asked for another answer'],
  answered: [Sparkles, 'Answered on'],
  'went-back': [CornerUpLeft, 'Went back'],
  aside: [GitBranchPlus, 'Started a side branch'],
  switched: [GitBranch, 'Switched to'],
  moved: [GitBranch, 'Moved'],
  checkpoint: [Bookmark, 'Saved a checkpoint'],
  other: [Ellipsis, ''],
};

/** The width and height of a miniature in pixels: up to four branches. */
const WIDTH = 122;
const HEIGHT = 64;
/** The messages before the changed one that it shows. */
const MESSAGES_BEFORE = 6;

interface ActRowProps {
  chatId: string;
  act: Act;
  chains: Chains;
  /** Oldest first. */
  branches: readonly Branch[];
  previews: ReadonlyMap<string, string>;
  /** Whether other users acted in the chat. */
  isShared: boolean;
  /** Shown instead of Restore at the present state. */
  now: string | null;
  /** Null below the role WRITER. */
  onRestore: ((headId: string) => Promise<void>) | null;
  onState(seq: number): void;
}

/** An act: its texts, the graph before and after it, its events, and Restore. */
export function ActRow(props: ActRowProps): ReactNode {
  const { chatId, act, chains, branches, previews, isShared, now, onRestore, onState } = props;
  const { kind, events, branchId, isNewBranch, questionId, answerId, previousId, headAfter } = act;
  const [isOpen, setIsOpen] = useState(false);
  const [Icon, text] = KINDS[kind];
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return null;
  const quoted = (id: string | null) => (id === null ? '' : (previews.get(id) ?? ''));
  const branch = branches.findIndex(({ id }) => id === branchId);
  return (
    <li className="act" data-kind={kind}>
      <time dateTime={first.createdAt}>
        {new Date(first.createdAt).toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' })}
      </time>
      <span className="event-icon" aria-hidden>
        <Icon />
      </span>
      <div className="act-text">
        <button className="act-title" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <ChevronRight aria-hidden />
          {kind === 'other' ? <EventText chatId={null} event={first} previews={previews} /> : text}
          {isNewBranch &&
            kind !== 'aside' &&
            (kind === 'asked' || kind === 'answered' ? ' a new branch' : ', new branch')}
          {branch !== -1 && kind !== 'other' && kind !== 'started' && (
            <span
              className="branch-name"
              data-lane={(branch % LANE_COLORS) + 1}
              dir="auto"
              title={branches[branch]?.name}
            >
              {branches[branch]?.label}
            </span>
          )}
        </button>
        <p>
          {previousId !== null && <del dir="auto">{quoted(previousId)}</del>}
          {questionId !== null && <span dir="auto">“{quoted(questionId)}”</span>}
          {answerId !== null && <span dir="auto">{quoted(answerId)}</span>}
          {kind === 'went-back' && <span dir="auto">to “{quoted(first.headId ?? null)}”</span>}
          {kind === 'checkpoint' && (
            <span dir="auto">
              “{first.name}” on: {quoted(first.messageId ?? null)}
            </span>
          )}
          {isShared && <bdi>by {first.actorId}</bdi>}
        </p>
        {isOpen && (
          <ol className="act-events">
            {events.map((event) => (
              <li key={event.seq}>
                <span>
                  <EventText chatId={chatId} event={event} previews={previews} />
                </span>
                <Button aria-label={`State after event ${event.seq}`} onClick={() => onState(event.seq)}>
                  State
                </Button>
              </li>
            ))}
          </ol>
        )}
      </div>
      <BeforeAndAfter act={act} chains={chains} />
      {now !== null ? (
        <span className="act-now">{now}</span>
      ) : (
        onRestore &&
        headAfter !== null && (
          <Button className="button act-restore" icon={RotateCcw} onClick={() => void onRestore(headAfter)}>
            Restore
          </Button>
        )
      )}
    </li>
  );
}

const NONE: ReadonlySet<string> = new Set();

function BeforeAndAfter({ act, chains }: Pick<ActRowProps, 'act' | 'chains'>): ReactNode {
  const { before, after, added, headBefore, headAfter } = act;
  const changed = [...added, headAfter ?? '', headBefore ?? '']
    .map((id) => chains.nodes.get(id))
    .filter((node) => !!node);
  if (changed.length === 0) return <span className="act-graphs" />;
  const newest = added.size > 0 ? changed.slice(0, added.size) : changed.slice(0, 1);
  const depth = Math.max(...newest.map((node) => node.depth));
  const wanted = changed.map(({ id }) => chains.places.get(id)?.chain ?? -1).filter((chain) => chain !== -1);
  const shared = {
    ...{ chains, width: WIDTH, height: HEIGHT, wanted, later: after },
    fromDepth: Math.max(0, depth - MESSAGES_BEFORE),
  };
  const isEmpty = before.every((count) => count === 0);
  return (
    <span className="act-graphs" aria-hidden>
      {isEmpty ? <small>empty</small> : <Miniature {...shared} extents={before} lit={NONE} headId={headBefore} />}
      <MoveRight />
      <Miniature {...shared} extents={after} lit={added} headId={headAfter} />
    </span>
  );
}
