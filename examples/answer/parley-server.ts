/** The operations of `npm run answer` on a Parley server. */
import { RemoteStore, type DraftState } from '@parley/context';
import { createGraphQLClient, type GraphQLClientOptions } from '@parley/context/server';
import { attemptOf, type Question } from './question.js';
import { isImported } from './imported-message.js';

/** Chats or events in one response. */
const PAGE_SIZE = 50;

export interface ChangedChat {
  id: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
  version: number;
  /** Questions of the chat that a process has claimed. */
  claimed: Question[];
}

export interface ChatChange {
  chatId: string;
  version: number;
  kind: 'CREATED' | 'CHANGED' | 'REMOVED';
  /** Null when REMOVED. */
  chat: { createdAt: string } | null;
}

/** A draft of the branch of a question. */
export interface RivalDraft {
  id: string;
  state: DraftState;
  length: number;
  parent: { id: string } | null;
  branch: { id: string };
}

/** A message as the model needs it. */
export interface ChainMessage {
  id: string;
  name: string;
  data: unknown;
  text: string;
}

interface BranchRow {
  id: string;
  name: string;
  isActive: boolean;
  head: { id: string; name: string } | null;
}

interface EventRow {
  __typename: string;
  headId: string | null;
  branch: BranchRow | null;
}

interface Edges<Node> {
  edges: { node: Node }[];
}

interface Page<Node> extends Edges<Node> {
  pageInfo: {
    hasPreviousPage?: boolean;
    startCursor?: string | null;
    hasNextPage?: boolean;
    endCursor?: string | null;
  };
}

type Variables = Record<string, unknown>;
type DraftRow = RivalDraft & { branch: { name: string } };

const VIEWER = 'query AnswerViewer { viewer { userId isAdmin } }';

const CHANGES =
  'subscription AnswerChanges { chatChanges(includeShared: false) { chatId version kind chat { createdAt } } }';

const CHANGED = `query ChangedChats($updatedAfter: DateTime, $first: Int, $after: String) {
  chats(filter: { updatedAfter: $updatedAfter, includeShared: false }, first: $first, after: $after) {
    edges { node { id updatedAt version drafts { edges { node { id parent { id } branch { id name } } } } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const ASKED = `query AskedQuestions($chatId: ID!, $since: DateTime, $last: Int, $before: String) {
  chat(id: $chatId) {
    events(last: $last, before: $before, filter: { types: [BRANCH_HEAD_MOVED, BRANCH_CREATED], after: $since }) {
      edges { node {
        __typename
        ... on BranchHeadMoved { headId branch { ...Tip } }
        ... on BranchCreated { headId branch { ...Tip } }
      } }
      pageInfo { hasPreviousPage startCursor }
    }
  }
}
fragment Tip on Branch { id name isActive head { id name } }`;

const STANDING = `query QuestionStanding($chatId: ID!, $branch: String!) {
  chat(id: $chatId) {
    title
    branch(name: $branch) { id head { id name data } }
    drafts { edges { node { id state length parent { id } branch { id } } } }
  }
}`;

const CHAIN = `query QuestionChain($id: ID!, $limit: Int) { message(id: $id) { chain(limit: $limit) { id name data text } } }`;

export class ParleyServer {
  readonly store: RemoteStore;
  readonly #ask;
  readonly #follow;
  /** How far the server's clock is ahead of this machine's. */
  #aheadMs = 0;

  constructor(options: Pick<GraphQLClientOptions, 'url' | 'headers'>) {
    const withClock: GraphQLClientOptions = { ...options, fetch: (...request) => this.#fetch(...request) };
    const { ask, follow } = createGraphQLClient(withClock);
    this.#ask = ask;
    this.#follow = follow;
    this.store = new RemoteStore(options);
  }

  /** The server's time, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The user whose chats are answered; null for all chats. The first call also compares the clocks. */
  async viewedUser(): Promise<string | null> {
    const { userId, isAdmin } = await this.#ask<{ userId: string; isAdmin: boolean }>('viewer', VIEWER, {});
    return isAdmin ? null : userId;
  }

  changes(signal: AbortSignal): AsyncGenerator<ChatChange, void> {
    return this.#follow<ChatChange>('chatChanges', CHANGES, {}, signal);
  }

  /** Chats that changed after a time, the newest change first; all of them when it is null. */
  async *chatsChangedAfter(since: number | null): AsyncGenerator<ChangedChat, void> {
    type Row = { id: string; updatedAt: string; version: number; drafts: Edges<DraftRow> };
    let cursor: string | null = null;
    do {
      const variables: Variables = { updatedAfter: isoTime(since), first: PAGE_SIZE, after: cursor };
      const { edges, pageInfo }: Page<Row> = await this.#ask<Page<Row>>('chats', CHANGED, variables);
      for (const { node } of edges) {
        const { id, version, drafts } = node;
        const claimed = drafts.edges.flatMap((draft) => claimedQuestion(id, draft.node));
        yield { id, updatedAt: Date.parse(node.updatedAt), version, claimed };
      }
      cursor = pageInfo.hasNextPage === true ? (pageInfo.endCursor ?? null) : null;
    } while (cursor !== null);
  }

  /**
   * The branches that were moved to a user's message, or begun there by a rewind, after a time, and still end there.
   * @param since milliseconds since 1970; null: all
   */
  async questionsAskedAfter(chatId: string, since: number | null): Promise<Question[]> {
    type Found = { events: Page<EventRow> } | null;
    const found = new Map<string, Question>();
    let cursor: string | null = null;
    do {
      const variables: Variables = { chatId, since: isoTime(since), last: PAGE_SIZE, before: cursor };
      const chat: Found = await this.#ask<Found>('chat', ASKED, variables);
      if (chat === null) break;
      for (const { node } of chat.events.edges) {
        const { __typename: type, headId, branch } = node;
        if (branch === null || branch.head?.id !== headId || branch.head.name !== 'user') continue;
        // Btw branches begin at a message without asking it again.
        if (type === 'BranchCreated' && !branch.isActive) continue;
        found.set(branch.id, { chatId, branchId: branch.id, branchName: branch.name, messageId: branch.head.id });
      }
      const { hasPreviousPage, startCursor } = chat.events.pageInfo;
      cursor = hasPreviousPage === true ? (startCursor ?? null) : null;
    } while (cursor !== null);
    return [...found.values()];
  }

  /** Null when the question is not the head of its branch any more, or was imported. */
  async standingOf(question: Question): Promise<{ title: string | null; drafts: RivalDraft[] } | null> {
    type Head = { id: string; name: string; data: unknown };
    type Found = {
      title: string | null;
      branch: { id: string; head: Head | null } | null;
      drafts: Edges<RivalDraft>;
    } | null;
    const { chatId, branchId, messageId } = question;
    const chat = await this.#ask<Found>('chat', STANDING, { chatId, branch: question.branchName });
    const head = chat?.branch?.id === branchId ? chat.branch.head : null;
    if (chat == null || head?.id !== messageId || head.name !== 'user' || isImported(chatId, head)) return null;
    const drafts = chat.drafts.edges.map((edge) => edge.node);
    const ofQuestion = ({ branch, parent }: RivalDraft) => branch.id === branchId && parent?.id === messageId;
    return { title: chat.title, drafts: drafts.filter(ofQuestion) };
  }

  /** The newest messages of the path to a message, which is the last of them. */
  async chain(messageId: string, limit: number): Promise<ChainMessage[]> {
    type Found = { chain: ChainMessage[] } | null;
    return (await this.#ask<Found>('message', CHAIN, { id: messageId, limit }))?.chain ?? [];
  }

  /** Whether a stop was requested for a draft whose writer has ended. */
  async isStopped(chatId: string, { id, length }: RivalDraft): Promise<boolean> {
    for await (const { type } of this.store.followDraft(chatId, id, { after: length, withChunks: false })) {
      if (type === 'stopping') return true;
      if (type !== 'chunks') return false;
    }
    return false;
  }

  async #fetch(...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(...request);
    const aheadMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
    // The header counts whole seconds.
    this.#aheadMs = Math.abs(aheadMs) > CLOCK_TOLERANCE_MS ? aheadMs : 0;
    return response;
  }
}

const CLOCK_TOLERANCE_MS = 2_000;

function claimedQuestion(chatId: string, { id, parent, branch }: DraftRow): Question[] {
  if (parent === null) return [];
  const question = { chatId, branchId: branch.id, branchName: branch.name, messageId: parent.id };
  return attemptOf(question, id) === null ? [] : [question];
}

const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
