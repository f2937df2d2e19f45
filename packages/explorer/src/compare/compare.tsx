import { useThread } from '@parley/client/react';
import { diffWordsWithSpace } from 'diff';
import { useMemo, type ReactNode } from 'react';
import { linkTo } from '../place.js';
import { Missing } from '../missing.js';
import { Body } from '../thread/body.js';
import { isHidden } from '../thread/part.js';
import { usePath, type Step } from '../use-path.js';
import { words } from '../words.js';
import { partingOf } from './differences.js';

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
      <div className="sides">
        {choice(words.left, leftId, (id) => linkTo({ chatId, view: 'compare', messageId: id, otherId: rightId }))}
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
              <h3>{words.inCommon}</h3>
              <StepOf step={parting.ancestor} chatId={chatId} />
            </section>
          )}
          <div className="sides">
            {([parting.left, parting.right] as const).map((steps, side) => (
              <section key={side} aria-label={side === 0 ? words.left : words.right}>
                {steps.length === 0 && <p className="hint">{words.endsHere}</p>}
                {steps.map((step, n) => (
                  <StepOf
                    key={step.id}
                    step={step}
                    chatId={chatId}
                    other={(n === 0 ? parting.versions?.[1 - side] : null) ?? null}
                    isRight={side === 1}
                  />
                ))}
              </section>
            ))}
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
}

function StepOf({ step: { id, name, text, data }, chatId, other = null, isRight = false }: StepProps): ReactNode {
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
        <Marked text={text} other={other.text} isNewer={isRight} />
      ) : (
        <Body text={text} data={data} messageId={id} />
      )}
    </div>
  );
}

/** A text with its differences marked; plain when the comparison takes too long. */
function Marked({ text, other, isNewer }: { text: string; other: string; isNewer: boolean }): ReactNode {
  const pieces = useMemo(
    () =>
      diffWordsWithSpace(other, text, { timeout: DIFF_TIMEOUT_MS }) ?? [{ value: text, added: false, removed: false }],
    [other, text],
  );
  const Mark = isNewer ? 'ins' : 'del';
  return (
    <p dir="auto">
      {pieces.map(({ value, added, removed }, n) => (removed ? null : added ? <Mark key={n}>{value}</Mark> : value))}
    </p>
  );
}
