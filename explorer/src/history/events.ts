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

interface Log {
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
 * The branches as they were after an event, those that are there still.
 * @param events all of the log until then, oldest first
 */
export function branchesAt(events: readonly LoggedEvent[], seq: number): BranchThen[] {
  const branches = new Map<string, BranchThen>();
  let activeId: string | undefined;
  for (const { __typename, seq: at, branch, headId = null, name } of events) {
    if (at > seq) break;
    if (!branch) continue;
    const known = branches.get(branch.id);
    if (__typename === 'BranchCreated') branches.set(branch.id, { name: branch.name, headId, isActive: false });
    else if (__typename === 'BranchHeadMoved') {
      branches.set(branch.id, { name: known?.name ?? branch.name, headId, isActive: false });
    } else if (__typename === 'BranchRenamed' && known !== undefined) known.name = name ?? known.name;
    if (__typename === 'BranchActivated') activeId = branch.id;
  }
  return Array.from(branches, ([id, branch]) => ({ ...branch, isActive: id === activeId }));
}
