/** The log of a chat: what it has of each event, and how a chat was at one of them. */
import { operation, type Parley } from '@parley/client';

export interface LoggedEvent {
  __typename: string;
  seq: number;
  actorId: string;
  createdAt: string;
  branch?: { id: string; name: string } | null;
  checkpoint?: { id: string } | null;
  name?: string;
  previousName?: string;
  headId?: string | null;
  previousHeadId?: string | null;
  messageId?: string;
  userId?: string;
  previousUserId?: string;
}

export interface Log {
  edges: { node: LoggedEvent }[];
  pageInfo: { hasPreviousPage: boolean; startCursor: string | null };
}

interface EventsPage {
  chat: { events: Log } | null;
}

/** A page of the log, oldest first, before a cursor. */
export const ReadEvents = operation<
  EventsPage,
  { chatId: string; last: number; before?: string | null; filter?: { types?: string[] | null } | null }
>(`query ReadEvents($chatId: ID!, $last: Int!, $before: String, $filter: EventFilter) {
  chat(id: $chatId) {
    events(last: $last, before: $before, filter: $filter) {
      edges {
        node {
          __typename
          seq
          actorId
          createdAt
          ... on BranchCreated { headId branch { id name } }
          ... on BranchHeadMoved { headId previousHeadId branch { id name } }
          ... on BranchActivated { branch { id name } }
          ... on BranchRenamed { name previousName branch { id name } }
          ... on BranchDeleted { name headId }
          ... on CheckpointSaved { name messageId }
          ... on CheckpointDeleted { name }
          ... on ChatTransferred { userId previousUserId }
        }
      }
      pageInfo { hasPreviousPage startCursor }
    }
  }
}`);

/** As much as is shown: events without a gap, oldest first, and where to go on with older ones; null where there are none. */
export interface LogPart {
  events: readonly LoggedEvent[];
  cursor: string | null;
}

/** With another page, of what came since or of what is older. What it leaves a gap to is forgotten. */
export function withPage({ events, cursor }: LogPart, { edges, pageInfo }: Log): LogPart {
  const page = edges.map(({ node }) => node);
  const [first, last] = [page[0]?.seq ?? 0, page.at(-1)?.seq ?? 0];
  const older = events.filter(({ seq }) => seq < first);
  const newer = events.filter(({ seq }) => seq > last);
  const before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
  if (newer.length > 0) return { events: [...page, ...newer], cursor: before };
  const isBehind = older.length > 0 && older.length < events.length;
  return isBehind ? { events: [...older, ...page], cursor } : { events: page, cursor: before };
}

/** All of the log, oldest first. */
export async function readLog(parley: Parley, chatId: string, signal: AbortSignal): Promise<LoggedEvent[]> {
  const pages: LoggedEvent[][] = [];
  let before: string | null = null;
  do {
    const page: EventsPage = await parley.run(ReadEvents, { chatId, last: 1_000, before }, signal);
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
 * The branches as they were after an event. Of those that were deleted since, the log tells where they ended and were before: of
 * several that ended at one message it is taken for the same one.
 * @param events all of the log until now, oldest first
 */
export function branchesAt(events: readonly LoggedEvent[], seq: number): BranchThen[] {
  const known = new Map<string, BranchThen>();
  for (const { __typename, branch, headId = null } of events) {
    if (!branch) continue;
    const there = known.get(branch.id);
    if (there === undefined) known.set(branch.id, { name: branch.name, headId, isActive: false });
    else if (__typename === 'BranchHeadMoved') there.headId = headId;
  }
  // From how they are now, back to how they were.
  const there = new Set(known.values());
  const gone = new Set<BranchThen>();
  for (const { __typename, seq: at, branch, headId = null, name, ...before } of events.toReversed()) {
    if (at <= seq) break;
    if (__typename === 'BranchDeleted') gone.add({ name: name ?? '', headId, isActive: false });
    const of = branch
      ? known.get(branch.id)
      : [...gone].find((other) => (__typename === 'BranchRenamed' ? other.name === name : other.headId === headId));
    if (of === undefined) continue;
    if (__typename === 'BranchRenamed') of.name = before.previousName ?? of.name;
    else if (__typename === 'BranchHeadMoved') of.headId = before.previousHeadId ?? null;
    else if (__typename === 'BranchCreated' && !there.delete(of)) gone.delete(of);
  }
  const branches = [...there, ...gone];
  const active = events.findLast(({ __typename, seq: at }) => at <= seq && __typename === 'BranchActivated')?.branch;
  const last = active ? known.get(active.id) : gone.size === 1 ? [...gone][0] : undefined;
  if (last !== undefined) last.isActive = true;
  return branches;
}
