import type { ReactNode } from 'react';
import type { Step } from '../requests/use-path.js';
import { costIn, durationIn, factsOf, tokensIn } from '../thread/message-facts.js';
import { messageTime } from '../thread/message-header.js';
import { counted } from '../words.js';

interface FactsProps {
  step: Step;
  /** The version on the other side. */
  other: Step | null;
  isRight: boolean;
  /** To the message in the thread. */
  link: string;
}

/** The model, the tokens, the cost, the duration and the time of a message. A model that differs is marked. */
export function Facts({ step, other, isRight, link }: FactsProps): ReactNode {
  const facts = factsOf(step.data);
  const otherModel = other && factsOf(other.data).model;
  const Model = otherModel === null || otherModel === facts.model ? 'bdi' : isRight ? 'ins' : 'del';
  const tokens = tokensIn(facts);
  const time = new Date(step.createdAt);
  return (
    <small className="facts">
      {facts.model !== null && (
        <Model className={Model === 'bdi' ? undefined : 'change'} dir="auto" title="Model">
          {facts.model}
        </Model>
      )}
      {tokens !== null && <span>{tokens} tokens</span>}
      {[costIn(facts), durationIn(facts)].map((each, n) => each !== null && <span key={n}>{each}</span>)}
      <a href={link}>
        <time dateTime={step.createdAt} title={time.toLocaleString()}>
          {messageTime(time)}
        </time>
      </a>
    </small>
  );
}

/** The number of messages of a side and, when all were read, their models, tokens, cost and duration. */
export function Sums({ side, steps, unread }: { side: string; steps: readonly Step[]; unread: number }): ReactNode {
  const facts = unread > 0 ? [] : steps.map(({ data }) => factsOf(data));
  const sum = (name: 'inputTokens' | 'outputTokens' | 'costUsd' | 'durationMs') =>
    facts.reduce<number | null>((all, { [name]: one }) => (one === null ? all : (all ?? 0) + one), null);
  const models = [...new Set(facts.flatMap(({ model }) => model ?? []))];
  const sums = {
    ...{ inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') },
    ...{ costUsd: sum('costUsd'), durationMs: sum('durationMs') },
  };
  const tokens = tokensIn(sums);
  const shown = [
    counted(steps.length + unread, 'message'),
    models.length > 2 ? `${models.length} models` : models.join(', ') || null,
    tokens && `${tokens} tokens`,
    costIn(sums),
    durationIn(sums),
  ];
  return (
    <p className="sums">
      <small className="side" dir="auto" aria-hidden>
        {side}
      </small>
      {shown.filter((each) => each !== null).join(' · ')}
    </p>
  );
}
