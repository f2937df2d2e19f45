import { useMemo, type ReactNode } from 'react';
import { linkTo } from '../place.js';
import type { Step } from '../requests/use-path.js';
import { Body } from '../thread/body.js';
import { PLAIN_FROM } from '../thread/markdown/message-text.js';
import { VersusContext } from '../thread/markdown/versus.js';
import { authorOf } from '../thread/message-header.js';
import { Facts } from './facts.js';
import { NOT_COMPARED, versusOf } from './versus-of.js';

interface StepProps {
  step: Step;
  chatId: string;
  /** The version on the other side. */
  other?: Step | null;
  isRight?: boolean;
  /** Whether its words are marked even if they have little in common with the other version. */
  isFirst?: boolean;
  /** The branch, named where both sides share one column. */
  side?: string | undefined;
}

/** A message as in the thread, with the words that the other version lacks marked. */
export function StepOf({ step, chatId, other = null, isRight = false, isFirst = false, side }: StepProps): ReactNode {
  const { texts, isTooLong } = useMemo(
    () => (other === null ? NOT_COMPARED : versusOf(step, other, { isNewer: isRight, isForced: isFirst })),
    [step, other, isRight, isFirst],
  );
  return (
    <div className="step" data-role={step.name} data-side={isRight ? 'right' : 'left'}>
      <b className="visually-hidden">{authorOf(step)}</b>
      {side !== undefined && (
        <small className="side" dir="auto" aria-hidden>
          {side}
        </small>
      )}
      {isTooLong && (
        <p className="whole">
          The versions differ. Words are not compared in texts of more than {PLAIN_FROM.toLocaleString('en')}{' '}
          characters.
        </p>
      )}
      <VersusContext value={texts}>
        <div className="message-body">
          <Body text={step.text} data={step.data} messageId={step.id} />
        </div>
      </VersusContext>
      <Facts step={step} other={other} isRight={isRight} link={linkTo({ chatId, messageId: step.id })} />
    </div>
  );
}
