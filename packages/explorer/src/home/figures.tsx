import { operation } from '@parley/client';
import { useChats } from '@parley/client/react';
import { useMemo, type ReactNode } from 'react';
import { useAnswer } from '../requests/use-answer.js';
import { counted } from '../words.js';
import { usePaced } from './use-paced.js';

const DAYS = 7;

/** The numbers of all chats, and of those that changed last on each of the last seven days. */
export const FIGURES = `query ReadFigures(${Array.from({ length: DAYS }, (_, n) => `$d${n}: ChatFilter!`).join(' ')}) {
  chats(first: 1) { totalCount }
  ${Array.from({ length: DAYS }, (_, n) => `d${n}: chats(first: 1, filter: $d${n}) { totalCount }`).join('\n')}
}`;
const ReadFigures = operation<Record<string, { totalCount: number }>, Record<string, object>>(FIGURES);

/** Figures of the chats of the user, live. */
export function Figures(): ReactNode {
  const { chats } = useChats();
  const today = new Date().setHours(0, 0, 0, 0);
  const days = useMemo(() => daysUntil(new Date(today)), [today]);
  const variables = Object.fromEntries(days.map(([from, to], n) => [`d${n}`, filterOf(from, to)]));
  const figures = useAnswer(ReadFigures, variables, { version: usePaced(chats) });
  if (figures === null) return null;
  const counts = days.map((_, n) => figures[`d${n}`]?.totalCount ?? 0);
  const week = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(1, ...counts);
  return (
    <dl className="panel">
      <div>
        <dt>Chats</dt>
        <dd>{(figures['chats']?.totalCount ?? 0).toLocaleString('en')}</dd>
      </div>
      <div>
        <dt>This week</dt>
        <dd>{counted(week, 'chat')}</dd>
        <svg width={DAYS * 10} height="26" aria-hidden>
          {counts.map((count, n) => {
            const height = Math.max(3, (24 * count) / most);
            return <rect key={n} x={n * 10} y={26 - height} width="7" height={height} rx="2" />;
          })}
        </svg>
      </div>
    </dl>
  );
}

/** The bounds of the last days, oldest first. */
function daysUntil(today: Date): [from: Date, to: Date][] {
  const midnight = (daysAgo: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo);
  return Array.from({ length: DAYS }, (_, n) => [midnight(DAYS - 1 - n), midnight(DAYS - 2 - n)]);
}

/** Both bounds are exclusive. */
const filterOf = (from: Date, to: Date) => ({
  updatedAfter: new Date(from.getTime() - 1).toISOString(),
  updatedBefore: to.toISOString(),
});
