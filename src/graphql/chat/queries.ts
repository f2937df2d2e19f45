import { checkMetadata, checkName } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import type { ChatFilter } from '../../conversation/reads.js';
import { parseQuery } from '../../search/query.js';
import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import { METADATA } from '../stated-limits.js';
import { decodeChatCursor, encodeChatCursor } from '../pages/cursors.js';
import { readPage } from '../pages/page-arguments.js';
import { chatRef } from '../refs.js';
import { chatConnection } from './type.js';
import { visibleChat } from '../loading/visible-chat.js';

const metadataFilter = builder.inputType('MetadataFilter', {
  description: 'Matches chats whose top-level metadata key has exactly this JSON value: true is not 1, "1" is not 1.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'A key at the top level of the metadata. At most 64 KiB as JSON.' }),
    equals: t.field({ type: 'JSON', description: `Any JSON value, including null; required. ${METADATA}` }),
  }),
});

export const includeShared = {
  required: true,
  defaultValue: true,
  description:
    "Also chats of others of which the user of the list is a member. Without effect on an admin's list of all chats.",
} as const;

const chatFilter = builder.inputType('ChatFilter', {
  description:
    "Chats to list: by default those of the viewer and those shared with it. An admin's list has the chats of all users " +
    'unless mine or userId selects a user.',
  fields: (t) => ({
    userId: t.id({ description: 'Admins only: the list of this user instead of all chats.' }),
    mine: t.boolean({
      description: "The viewer's list, also for admins. Cannot be combined with another user's userId.",
    }),
    includeShared: t.boolean(includeShared),
    metadata: t.field({ type: [metadataFilter], description: 'All of these must hold.' }),
    title: t.string({
      description:
        'Words of the title, with the syntax of search: also "phrases", prefixes* and -exclusions. A text without words matches ' +
        'no chat. At most 1,000 characters.',
    }),
    updatedAfter: t.field({
      type: 'DateTime',
      description: 'Only chats whose updatedAt is after this time, exclusive.',
    }),
    updatedBefore: t.field({
      type: 'DateTime',
      description: 'Only chats whose updatedAt is before this time, exclusive.',
    }),
  }),
});

builder.queryField('chat', (t) =>
  t.field({
    audit: 'chat.read',
    type: chatRef,
    nullable: true,
    description: 'One chat by id; null when it does not exist or the viewer may not read it.',
    args: { id: t.arg.id({ required: true, description: 'The id of the chat.' }) },
    resolve: (_root, { id }, context) => visibleChat(context, id),
  }),
);

builder.queryField('chats', (t) =>
  t.field({
    audit: null,
    type: chatConnection,
    description: "The chats of the viewer and those shared with it (an admin's: everyone's), newest update first.",
    args: {
      filter: t.arg({ type: chatFilter, description: 'Chats to list.' }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { filter, ...args }, { reads, viewer }) => {
      const page = readPage(args, decodeChatCursor);
      const asked = readFilter(filter ?? { includeShared: true });
      const isOfAnother = asked.userId !== null && asked.userId !== viewer.userId;
      if (isOfAnother && !viewer.isAdmin) {
        throw badUserInput("filter.userId: only an admin may list another user's chats");
      }
      const isMine = filter?.mine === true;
      if (isOfAnother && isMine) throw badUserInput("filter.mine: cannot be given with another user's userId");
      const own = { ...asked, userId: viewer.userId, chatId: onlyChatOf(viewer) };
      const scope = viewer.isAdmin && !isMine ? asked : own;
      const found = await reads.chatPage(scope, page);
      return { page: found, cursorOf: encodeChatCursor, totalCount: () => reads.chatCount(scope) };
    },
  }),
);

/** Each condition reads the metadata of every chat. */
const MAX_METADATA_FILTERS = 10;

/** A title has 255 characters, and a query is read in one turn. */
const MAX_TITLE_LENGTH = 1_000;

function readFilter(filter: typeof chatFilter.$inferInput): ChatFilter {
  const count = filter.metadata?.length ?? 0;
  if (count > MAX_METADATA_FILTERS) {
    throw badUserInput(`filter.metadata must have at most ${MAX_METADATA_FILTERS} elements, not ${count}`);
  }
  const { title = null, updatedAfter = null, updatedBefore = null } = filter;
  if (title !== null && title.length > MAX_TITLE_LENGTH) {
    throw badUserInput(`filter.title must have at most ${MAX_TITLE_LENGTH} characters, not ${title.length}`);
  }
  try {
    return {
      title: title === null ? null : parseQuery(title),
      updatedAfter,
      updatedBefore,
      includeShared: filter.includeShared === true,
      // An empty id would match all chats on some databases and none on others: it is refused.
      userId: filter.userId == null ? null : checkName(filter.userId, 'filter.userId'),
      metadata: (filter.metadata ?? []).map(({ key, equals }, index) => {
        const path = `filter.metadata.${index}`;
        if (equals === undefined)
          throw new InvalidInputError(`${path}.equals is missing: give null to find null`, path);
        checkMetadata(key, `${path}.key`);
        return { key, equals: checkMetadata(equals, `${path}.equals`) };
      }),
    };
  } catch (error) {
    if (error instanceof InvalidInputError) throw badUserInput(error.message);
    throw error;
  }
}
