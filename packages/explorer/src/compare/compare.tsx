import { useThread } from '@parley/client/react';
import { diffWordsWithSpace } from 'diff';
import { ArrowLeftRight, ChevronRight } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import { linkTo } from '../place.js';
import { Missing } from '../missing.js';
import { Body } from '../thread/body.js';
import { isHidden } from '../thread/part.js';
import { usePath, type Step } from '../use-path.js';
import { words } from '../words.js';
import { partingOf } from './differences.js';
import './compare.css';

/** Characters above which words are not compared, because it would take too long. */
const MAX_COMPARED_LENGTH = 50_000;
const DIFF_TIMEOUT_MS = 200;

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
  const [left, right] = [usePath(leftId), usePath(rightId)];
  const parting = useMemo(() => (left && right ? partingOf(left, right) : null), [left, right]);
  const [isOpen, setOpen] = useState(false);
  if (chat === null || status === 'gone') return <Missing status={status} error={error} />;
  if (leftId === null || rightId === null) return <p className="hint">{words.oneBranch}</p>;
  const choice = (label: string, chosen: string | null, to: (id: string) => string) => (
    <label>
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
        {!branches.some(({ headId }) => headId === chosen) && <option value={chosen ?? ''}>{words.thisVersion}</option>}
      </select>
    </label>
  );
  return (
    <article className="compare">
      <div className="choices">
        {choice(words.left, leftId, (id) => linkTo({ chatId, view: 'compare', messageId: id, otherId: rightId }))}
        <IconButton
          icon={ArrowLeftRight}
          label={words.swap}
          onClick={() => (location.hash = linkTo({ chatId, view: 'compare', messageId: rightId, otherId: leftId }))}
        />
        {choice(words.right, rightId, (id) => linkTo({ chatId, view: 'compare', messageId: leftId, otherId: id }))}
      </div>
      {left?.length === 0 || right?.length === 0 ? (
        <p className="hint">{words.noMessage}</p>
      ) : parting === null ? (
        <p className="hint">{words.loading}</p>
      ) : (
        <>
          {parting.ancestor === null ? (
            <p className="hint">{words.nothingInCommon}</p>
          ) : (
            <section aria-label={words.inCommon}>
              <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
                <summary>
                  <ChevronRight aria-hidden />
                  {words.commonMessages(parting.common.length + 1)}
                  <span dir="auto">{parting.ancestor.text}</span>
                </summary>
                {(isOpen ? [...parting.common, parting.ancestor] : []).map((step) => (
                  <StepOf key={step.id} step={step} chatId={chatId} />
                ))}
              </details>
            </section>
          )}
          {/* Rows keep both sides at one height; in the order of the page, a row is read from left to right. */}
          <div className="rows">
            {Array.from({ length: Math.max(1, parting.left.length, parting.right.length) }, (_, n) =>
              ([parting.left, parting.right] as const).map((steps, side) => {
                const step = steps[n];
                const other = (side === 0 ? parting.right : parting.left)[n];
                const isVersion = n === 0 ? parting.versions !== null : other?.name === step?.name;
                if (step === undefined)
                  return (
                    <p key={`${n} ${side}`} className="hint">
                      {n === steps.length && words.endsHere}
                    </p>
                  );
                return (
                  <StepOf
                    key={step.id}
                    step={step}
                    chatId={chatId}
                    other={isVersion ? (other ?? null) : null}
                    isFirst={n === 0}
                    isRight={side === 1}
                  />
                );
              }),
            )}
          </div>
        </>
      )}
    </article>
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
  const { id, name, text, data } = step;
  const isMarked =
    !isHidden(data) &&
    other !== null &&
    text !== '' &&
    other.text !== '' &&
    text.length + other.text.length < MAX_COMPARED_LENGTH;
  return (
    <div className="step" data-role={name}>
      <header>
        <a href={linkTo({ chatId, messageId: id })} dir="auto">
          {name}
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
