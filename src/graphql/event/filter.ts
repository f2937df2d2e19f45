import { isPossibleId } from '../../conversation/bounds.js';
import type { Chat, ChatEvent, ChatEventType } from '../../conversation/model.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';

/** What the contract calls the types of events, and which of them tell of a branch. */
const EVENT_TYPES = {
  ChatCreated: { name: 'CHAT_CREATED', ofBranch: false, description: 'ChatCreated.' },
  ChatUpdated: { name: 'CHAT_UPDATED', ofBranch: false, description: 'ChatUpdated.' },
  ChatDeleted: {
    name: 'CHAT_DELETED',
    ofBranch: false,
    description: 'ChatDeleted: for subscriptions; the log goes with the chat, so that no list has one.',
  },
  ChatTransferred: { name: 'CHAT_TRANSFERRED', ofBranch: false, description: 'ChatTransferred.' },
  BranchCreated: { name: 'BRANCH_CREATED', ofBranch: true, description: 'BranchCreated.' },
  BranchActivated: { name: 'BRANCH_ACTIVATED', ofBranch: true, description: 'BranchActivated.' },
  BranchHeadMoved: { name: 'BRANCH_HEAD_MOVED', ofBranch: true, description: 'BranchHeadMoved.' },
  BranchRenamed: { name: 'BRANCH_RENAMED', ofBranch: true, description: 'BranchRenamed.' },
  BranchDeleted: { name: 'BRANCH_DELETED', ofBranch: true, description: 'BranchDeleted.' },
  CheckpointSaved: { name: 'CHECKPOINT_SAVED', ofBranch: false, description: 'CheckpointSaved.' },
  CheckpointDeleted: { name: 'CHECKPOINT_DELETED', ofBranch: false, description: 'CheckpointDeleted.' },
} as const satisfies Record<ChatEventType, { name: string; ofBranch: boolean; description: string }>;

const TYPES = Object.keys(EVENT_TYPES) as ChatEventType[];

const chatEventType = builder.enumType('ChatEventType', {
  description: 'The types of events.',
  values: Object.fromEntries(
    TYPES.map((value) => [EVENT_TYPES[value].name, { value, description: EVENT_TYPES[value].description }]),
  ),
});

export const eventFilter = builder.inputType('EventFilter', {
  description: 'Which events to list: those for which all of this holds.',
  fields: (t) => ({
    types: t.field({ type: [chatEventType], description: 'Of one of these types.' }),
    actorId: t.id({ description: 'Done by this user.' }),
    branch: t.string({
      description: 'About the branch that has this name now, whatever it was called then: BranchCreated and its like.',
    }),
    after: t.field({ type: 'DateTime', description: 'Later than this time; not at this time itself.' }),
    before: t.field({ type: 'DateTime', description: 'Earlier than this time; not at this time itself.' }),
  }),
});

/** A page of a chat's log, or of what a filter leaves of it. */
export async function loadEvents(
  { id: chatId }: Chat,
  page: PageRequest<number>,
  filter: typeof eventFilter.$inferInput | null | undefined,
  { loaders }: Context,
): Promise<Slice<ChatEvent>> {
  const { types = null, actorId = null, branch = null, after = null, before = null } = filter ?? {};
  if ([types, actorId, branch, after, before].every((condition) => condition === null)) {
    return loaders.eventPage.load(chatId, page);
  }
  const none = { rows: [], hasNextPage: false, hasPreviousPage: false, totalCount: 0 };
  const wanted = TYPES.filter(
    (type) => (types?.includes(type) ?? true) && (branch === null || EVENT_TYPES[type].ofBranch),
  );
  if (wanted.length === 0 || (actorId !== null && !isPossibleId(actorId))) return none;
  let branchId: string | null = null;
  if (branch !== null) {
    const found = isPossibleId(branch) ? await loaders.branchByName.load({ chatId, name: branch }) : null;
    if (found === null) return none;
    branchId = found.id;
  }
  const isOfAny = wanted.length === TYPES.length;
  const conditions = { types: isOfAny ? null : wanted, actorId, createdAfter: after, createdBefore: before };
  return loaders.filteredEventPage.load({ chatId, branchId }, { page, filter: conditions });
}
