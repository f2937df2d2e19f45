import { useThread } from '@parley/client/react';
import { ArrowLeftRight, ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useLabeled } from '../branch-labels/use-branch-labels.js';
import { Button, IconButton } from '../design/button.js';
import { linkTo } from '../place.js';
import { Missing } from '../missing.js';
import { usePath, type Step } from '../requests/use-path.js';
import { counted } from '../words.js';
import { ChooseBranch } from './choose-branch.js';
import { Sums } from './facts.js';
import { StepOf } from './step-of.js';
import { useComparison, type Comparison } from './use-comparison.js';
import '../thread/message.css';
import './compare.css';

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
  const labeled = useLabeled(branches);
  const active = branches.find(({ isActive }) => isActive)?.headId ?? leafId;
  const leftId = messageId ?? active;
  const rightId =
    otherId ?? (leftId === active ? branches.find(({ headId }) => headId !== active)?.headId : active) ?? null;
  const [first, setFirst] = useState(READ_AT_ONCE);
  const comparison = useComparison(chatId, leftId, rightId, first);
  if (chat === null || status === 'gone') return <Missing status={status} error={error} />;
  if (leftId === null || rightId === null)
    return <p className="hint">Only one branch has messages: there is nothing to compare.</p>;
  const labelOf = (headId: string) => labeled.find((branch) => branch.headId === headId)?.label ?? 'This version';
  const choose = (left: string, right: string) => {
    location.hash = linkTo({ chatId, view: 'compare', messageId: left, otherId: right });
  };
  return (
    <article className="compare">
      <div className="choices">
        <ChooseBranch label="Left" branches={branches} headId={leftId} onChoose={(id) => choose(id, rightId)} />
        <IconButton icon={ArrowLeftRight} label="Swap sides" onClick={() => choose(rightId, leftId)} />
        <ChooseBranch label="Right" branches={branches} headId={rightId} onChoose={(id) => choose(leftId, id)} />
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
          <Rows chatId={chatId} {...comparison} sides={[labelOf(leftId), labelOf(rightId)]} />
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

interface RowsProps extends Pick<Comparison, 'left' | 'right' | 'unread'> {
  chatId: string;
  /** The names of both. */
  sides: readonly [string, string];
}

/** Rows keep both sides at one height; in the order of the page, a row is read from left to right. */
function Rows({ chatId, left, right, unread, sides }: RowsProps): ReactNode {
  return (
    <div className="rows">
      <Sums side={sides[0]} steps={left} unread={unread.left} />
      <Sums side={sides[1]} steps={right} unread={unread.right} />
      {Array.from({ length: Math.max(1, left.length, right.length) }, (_, n) =>
        ([left, right] as const).map((steps, side) => {
          const step = steps[n];
          const other = (side === 0 ? right : left)[n];
          if (step === undefined) {
            const isEnd = n === steps.length && unread[side === 0 ? 'left' : 'right'] === 0;
            return (
              <p key={`${n} ${side}`} className="hint">
                {isEnd && (
                  <>
                    <small className="side" dir="auto" aria-hidden>
                      {sides[side]}
                    </small>
                    This branch ends here.
                  </>
                )}
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
              side={sides[side]}
              isRight={side === 1}
            />
          );
        }),
      )}
    </div>
  );
}
