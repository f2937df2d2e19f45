/** The event log of a chat, and the chat's state at an event. */
import type { Parley } from '@parley/client';
import { ReadEvents, type ReadEventsQuery } from '../generated/operations.js';

type Log = NonNullable<ReadEventsQuery['chat']>['events'];
type EventOfType = Log['edges'][number]['node'];
type NameOfAny<Event> = Event extends unknown ? keyof Event : never;
type ValueOfAny<Event, Name extends string> = Event extends Record<Name, infer Value> ? Value : never;

/** An event of any type. */
export type LoggedEvent = Pick<EventOfType, keyof EventOfType> & {
  [Name in NameOfAny<EventOfType>]?: ValueOfAny<EventOfType, Name>;
};

/**
 * The shown part of the log: consecutive events, oldest first, and the cursor of older ones; null at the start of the
 * log.
 */
export interface LogPart {
  events: readonly LoggedEvent[];
  cursor: string | null;
}

/** Adds a page of newer or older events. Events before a gap are dropped. */
export function withPage({ events, cursor }: LogPart, { edges, pageInfo }: Log): LogPart {
  const page = edges.map(({ node }): LoggedEvent => node);
  const [first, last] = [page[0]?.seq ?? 0, page.at(-1)?.seq ?? 0];
  const older = events.filter(({ seq }) => seq < first);
  const newer = events.filter(({ seq }) => seq > last);
  const before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
  if (newer.length > 0) return { events: [...page, ...newer], cursor: before };
  const isBehind = older.length > 0 && older.length < events.length;
  return isBehind ? { events: [...older, ...page], cursor } : { events: page, cursor: before };
}

/** The whole log, oldest first. */
export async function readLog(parley: Parley, chatId: string, signal: AbortSignal): Promise<LoggedEvent[]> {
  const pages: LoggedEvent[][] = [];
  let before: string | null = null;
  do {
    const page: ReadEventsQuery = await parley.run(ReadEvents, { chatId, last: 1_000, before }, signal);
    if (page.chat === null) return [];
    const { edges, pageInfo }: Log = page.chat.events;
    pages.unshift(edges.map(({ node }) => node));
    before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
  } while (before !== null);
  return pages.flat();
}

export interface BranchThen {
  name: string;
  headId: string | null;
  isActive: boolean;
}

/**
 * The branches after an event. For branches that were deleted later, the log has their former ends; several with the
 * same end count as one.
 * @param events the whole log until now, oldest first
 */
export function branchesAt(events: readonly LoggedEvent[], seq: number): BranchThen[] {
  const known = new Map<string, BranchThen>();
  for (const { __typename, branch, headId = null } of events) {
    if (!branch) continue;
    const there = known.get(branch.id);
    if (there === undefined) known.set(branch.id, { name: branch.name, headId, isActive: false });
    else if (__typename === 'BranchHeadMoved') there.headId = headId;
  }
  // From the present branches back to the former ones.
  const there = new Set(known.values());
  const deleted = new Set<BranchThen>();
  for (const { __typename, seq: at, branch, headId = null, name, ...before } of events.toReversed()) {
    if (at <= seq) break;
    if (__typename === 'BranchDeleted') deleted.add({ name: name ?? '', headId, isActive: false });
    const of = branch
      ? known.get(branch.id)
      : [...deleted].find((other) => (__typename === 'BranchRenamed' ? other.name === name : other.headId === headId));
    if (of === undefined) continue;
    if (__typename === 'BranchRenamed') of.name = before.previousName ?? of.name;
    else if (__typename === 'BranchHeadMoved') of.headId = before.previousHeadId ?? null;
    else if (__typename === 'BranchCreated' && !there.delete(of)) deleted.delete(of);
  }
  const branches = [...there, ...deleted];
  const active = events.findLast(({ __typename, seq: at }) => at <= seq && __typename === 'BranchActivated')?.branch;
  const last = active ? known.get(active.id) : deleted.size === 1 ? [...deleted][0] : undefined;
  if (last !== undefined) last.isActive = true;
  return branches;
}
