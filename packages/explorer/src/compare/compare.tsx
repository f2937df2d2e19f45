import { useThread, useChats } from '@parley/client/react';
import { diffWordsWithSpace } from 'diff';
import { ArrowLeftRight, ChevronRight } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import type { ComparePlacesQuery } from '@parley/client';
import { ComparePlaces } from '@parley/client/operations';
import { Button, IconButton } from '../design/button.js';
import { linkTo } from '../place.js';
import { Missing } from '../missing.js';
import { Body } from '../thread/body.js';
import { Author } from '../thread/message-header.js';
import { isHidden } from '../thread/part.js';
import { usePath, type Step } from '../requests/use-path.js';
import { counted } from '../words.js';
import { useAnswer } from '../requests/use-answer.js';
import './compare.css';

/** Characters above which words are not compared, because it would take too long. */
const MAX_COMPARED_LENGTH = 50_000;
const DIFF_TIMEOUT_MS = 200;
/** The number of messages per side that are read at once, and at most. */
const READ_AT_ONCE = 100;
const MAX_READ = 1_000;

interface CompareProps {
  chatId: string;
  /** The end of one path; null for the active branch. */
  messageId: string | null;
  /** The end of the other path; null for the active branch, or another branch. */
  otherId: string | null;
}

/** Shows two paths side by side, from their common message on. */
export default function Compare({ chatId, messageId, otherId }: CompareProps): ReactNode {
  const { status, error, chat, branches, leafId } = useThread(chatId);
  const active = branches.find(({ isActive }) => isActive)?.headId ?? leafId;
  const leftId = messageId ?? active;
  const rightId =
    otherId ?? (leftId === active ? branches.find(({ headId }) => headId !== active)?.headId : active) ?? null;
  const [first, setFirst] = useState(READ_AT_ONCE);
  const comparison = useComparison(chatId, leftId, rightId, first);
  if (chat === null || status === 'gone') return <Missing status={status} error={error} />;
  if (leftId === null || rightId === null)
    return <p className="hint">Only one branch has messages: there is nothing to compare.</p>;
  const choice = (label: string, chosen: string | null, to: (id: string) => string) => (
    <label className="row">
      {label}{' '}
      <select value={chosen ?? ''} onChange={({ target }) => void (location.hash = to(target.value))}>
        {branches.map(
          ({ id, name, headId }) =>
            headId !== null && (
              <option key={id} value={headId}>
                {name}
              </option>
            ),
        )}
        {!branches.some(({ headId }) => headId === chosen) && <option value={chosen ?? ''}>This version</option>}
      </select>
    </label>
  );
  return (
    <article className="compare">
      <div className="choices">
        {choice('Left', leftId, (id) => linkTo({ chatId, view: 'compare', messageId: id, otherId: rightId }))}
        <IconButton
          icon={ArrowLeftRight}
          label="Swap sides"
          onClick={() => (location.hash = linkTo({ chatId, view: 'compare', messageId: rightId, otherId: leftId }))}
        />
        {choice('Right', rightId, (id) => linkTo({ chatId, view: 'compare', messageId: leftId, otherId: id }))}
      </div>
      {comparison === 'missing' ? (
        <p className="hint">Message not found.</p>
      ) : comparison === null ? (
        <p className="hint">Loading…</p>
      ) : (
        <>
          {comparison.ancestor === null ? (
            <p className="hint">The two sides have no message in common.</p>
          ) : (
            <Common key={comparison.ancestor.id} chatId={chatId} ancestor={comparison.ancestor} />
          )}
          <Rows chatId={chatId} {...comparison} />
          {Math.max(comparison.unread.left, comparison.unread.right) > 0 &&
            (first < MAX_READ ? (
              <Button className="button more" onClick={() => setFirst(first + READ_AT_ONCE)}>
                Show more
              </Button>
            ) : (
              <p className="hint">{`${Math.max(comparison.unread.left, comparison.unread.right).toLocaleString('en')} more`}</p>
            ))}
        </>
      )}
    </article>
  );
}

/** The common part of both paths: one line, which opens. */
function Common({ chatId, ancestor }: { chatId: string; ancestor: Step & { depth: number } }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const path = usePath(isOpen ? ancestor.id : null);
  return (
    <section aria-label="Common until">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="row">
          <ChevronRight aria-hidden />
          {counted(ancestor.depth + 1, 'message')} in common, until
          <span dir="auto" className="ellipsis">
            {ancestor.text}
          </span>
        </summary>
        {path === null && <p className="hint">Loading…</p>}
        {path?.map((step) => (
          <StepOf key={step.id} step={step} chatId={chatId} />
        ))}
      </details>
    </section>
  );
}

type RowsProps = Pick<Comparison, 'left' | 'right' | 'unread'> & { chatId: string };

/** Rows keep both sides at one height; in the order of the page, a row is read from left to right. */
function Rows({ chatId, left, right, unread }: RowsProps): ReactNode {
  return (
    <div className="rows">
      {Array.from({ length: Math.max(1, left.length, right.length) }, (_, n) =>
        ([left, right] as const).map((steps, side) => {
          const step = steps[n];
          const other = (side === 0 ? right : left)[n];
          if (step === undefined) {
            const isEnd = n === steps.length && unread[side === 0 ? 'left' : 'right'] === 0;
            return (
              <p key={`${n} ${side}`} className="hint">
                {isEnd && 'This branch ends here.'}
              </p>
            );
          }
          return (
            <StepOf
              key={step.id}
              step={step}
              chatId={chatId}
              other={other?.name === step.name ? other : null}
              isFirst={n === 0}
              isRight={side === 1}
            />
          );
        }),
      )}
    </div>
  );
}

interface StepProps {
  step: Step;
  chatId: string;
  /** The version on the other side. */
  other?: Step | null;
  isRight?: boolean;
  /** Whether its words are marked even if they have little in common with the other version. */
  isFirst?: boolean;
}

function StepOf({ step, chatId, other = null, isRight = false, isFirst = false }: StepProps): ReactNode {
  const { id, name, text, data, createdBy } = step;
  const isMarked =
    !isHidden(data) &&
    other !== null &&
    text !== '' &&
    other.text !== '' &&
    text.length + other.text.length < MAX_COMPARED_LENGTH;
  return (
    <div className="step" data-role={name}>
      <header>
        <a href={linkTo({ chatId, messageId: id })}>
          <Author name={name} createdBy={createdBy} />
        </a>
      </header>
      {isMarked ? (
        <Marked text={text} other={other.text} isNewer={isRight} isForced={isFirst} />
      ) : (
        <Body text={text} data={data} messageId={id} />
      )}
    </div>
  );
}

interface MarkedProps {
  text: string;
  other: string;
  isNewer: boolean;
  isForced: boolean;
}

/** The smallest part of two texts that must be equal for marks to help. */
const MIN_EQUAL = 0.3;

/** A text with its differences marked; plain when the comparison takes too long, or all is different. */
function Marked({ text, other, isNewer, isForced }: MarkedProps): ReactNode {
  const pieces = useMemo(() => {
    const plain = [{ value: text, added: false, removed: false }];
    const found = diffWordsWithSpace(other, text, { timeout: DIFF_TIMEOUT_MS }) ?? plain;
    const equal = found.reduce((sum, { value, added, removed }) => sum + (added || removed ? 0 : value.length), 0);
    return isForced || equal >= MIN_EQUAL * Math.max(text.length, other.length) ? found : plain;
  }, [other, text, isForced]);
  const Mark = isNewer ? 'ins' : 'del';
  return (
    <p dir="auto">
      {pieces.map(({ value, added, removed }, n) => (removed ? null : added ? <Mark key={n}>{value}</Mark> : value))}
    </p>
  );
}

type Read = NonNullable<NonNullable<ComparePlacesQuery['chat']>['compare']>;

interface Comparison {
  /** The newest common message; null without one. */
  ancestor: (Step & { depth: number }) | null;
  /** The first messages of each side after it. */
  left: readonly Step[];
  right: readonly Step[];
  /** The numbers of messages of each side that were not read. */
  unread: { left: number; right: number };
}

/**
 * Compares the paths to two messages.
 * @param first the number of messages to read per side, at most 1,000
 * @returns null until it was read, and 'missing' if a message is missing
 */
function useComparison(
  chatId: string,
  leftId: string | null,
  rightId: string | null,
  first: number,
): Comparison | 'missing' | null {
  // After a reconnection, it is read again.
  const version = useChats().status === 'away';
  const places = leftId !== null && rightId !== null && { base: { messageId: leftId }, head: { messageId: rightId } };
  const read = useAnswer(ComparePlaces, places ? { chatId, ...places, first } : null, {
    version,
    of: `${leftId} ${rightId}`,
  });
  return useMemo(() => read && (read.chat?.compare ? comparisonOf(read.chat.compare) : 'missing'), [read]);
}

function comparisonOf({ commonAncestor: ancestor, ahead, aheadBy, behind, behindBy }: Read): Comparison {
  const [left, right] = [behind.edges.map(({ node }) => node), ahead.edges.map(({ node }) => node)];
  return { ancestor, left, right, unread: { left: behindBy - left.length, right: aheadBy - right.length } };
}
