import { isPossibleId } from '../../conversation/bounds.js';
import type { Chat, ChatEvent, ChatEventType } from '../../conversation/model.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import type { Context } from '../context.js';

/** The contract's names of event types, and which of them concern a branch. */
const EVENT_TYPES = {
  ChatCreated: { name: 'CHAT_CREATED', ofBranch: false, description: 'ChatCreated.' },
  ChatUpdated: { name: 'CHAT_UPDATED', ofBranch: false, description: 'ChatUpdated.' },
  ChatDeleted: {
    name: 'CHAT_DELETED',
    ofBranch: false,
    description: 'ChatDeleted: only in subscriptions; the log is deleted with the chat, so no list contains it.',
  },
  ChatTransferred: { name: 'CHAT_TRANSFERRED', ofBranch: false, description: 'ChatTransferred.' },
  ChatRestored: { name: 'CHAT_RESTORED', ofBranch: false, description: 'ChatRestored.' },
  MemberChanged: { name: 'MEMBER_CHANGED', ofBranch: false, description: 'MemberChanged.' },
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
  description: 'Events to list: all conditions must hold.',
  fields: (t) => ({
    types: t.field({ type: [chatEventType], description: 'One of these types.' }),
    actorId: t.id({ description: 'Changes made by this user.' }),
    branch: t.string({
      description: `Events of the branch with this current name, such as BranchCreated, also from before a rename. ${NAME}`,
    }),
    after: t.field({ type: 'DateTime', description: 'Only events after this time, exclusive.' }),
    before: t.field({ type: 'DateTime', description: 'Only events before this time, exclusive.' }),
  }),
});

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
