import type { Chat } from '../../conversation/model.js';
import type { Segment, SegmentColumn } from '../../conversation/outline.js';
import { builder } from '../builder.js';
import { isoTime } from '../answers/iso-time.js';
import { countedBefore } from '../limits/object-budget.js';
import { takeJson, takeRows, type WriteJson } from '../answers/plain-lists.js';
import { plain } from '../answers/plain-members.js';
import { everyBranch, everyCheckpoint } from './graph.js';

const lengthOf = ({ first, last }: Segment): number => last.depth - first.depth + 1;

const segmentRef = builder.objectRef<Segment>('GraphSegment').implement({
  description:
    'A run of messages without a fork: each but the first is the only child of the one before it. A source of another message also ' +
    'ends a segment, and a message with sources begins one.',
  fields: (t) => ({
    firstId: t.id({
      ...plain(({ first }: Segment) => JSON.stringify(first.id), 'firstId'),
      description: 'The id of its first message: a root, one of several children, or one at a source or with sources.',
      resolve: ({ first }) => first.id,
    }),
    lastId: t.id({
      ...plain(({ last }: Segment) => JSON.stringify(last.id), 'lastId'),
      description:
        'The id of its last message: one with several children or with none, or a source or the parent of a message with sources.',
      resolve: ({ last }) => last.id,
    }),
    parentId: t.id({
      ...plain(({ first }: Segment) => JSON.stringify(first.parentId), 'parentId'),
      nullable: true,
      description: 'The last message of the segment above it; null for a root.',
      resolve: ({ first }) => first.parentId,
    }),
    sourceIds: t.idList({
      ...plain(({ sourceIds }: Segment) => JSON.stringify(sourceIds), 'sourceIds'),
      description:
        'The ids of the messages that its first message draws on besides its parent. Each is the lastId of a segment.',
      resolve: ({ sourceIds }) => [...sourceIds],
    }),
    length: t.int({
      ...plain((segment: Segment) => String(lengthOf(segment)), 'length'),
      description: 'Number of its messages.',
      resolve: lengthOf,
    }),
    depth: t.int({
      ...plain(({ first }: Segment) => String(first.depth), 'depth'),
      description: 'Depth of the first message: 0 for a root.',
      resolve: ({ first }) => first.depth,
    }),
    firstRole: t.string({
      ...plain(({ first }: Segment) => JSON.stringify(first.name), 'firstName'),
      description: "The first message's name.",
      resolve: ({ first }) => first.name,
    }),
    firstContent: t.string({
      ...plain(({ first }: Segment) => JSON.stringify(first.preview), 'firstPreview'),
      description:
        "The first 50 characters of the first message's text; longer text ends in an ellipsis. Empty for a hidden message.",
      resolve: ({ first }) => first.preview,
    }),
    lastRole: t.string({
      ...plain(({ last }: Segment) => JSON.stringify(last.name), 'lastName'),
      description: "The last message's name.",
      resolve: ({ last }) => last.name,
    }),
    lastContent: t.string({
      ...plain(({ last }: Segment) => JSON.stringify(last.preview), 'lastPreview'),
      description:
        "The first 50 characters of the last message's text; longer text ends in an ellipsis. Empty for a hidden message.",
      resolve: ({ last }) => last.preview,
    }),
    firstCreatedAt: t.field({
      ...plain(({ first }: Segment) => `"${isoTime(first.createdAt)}"`, 'firstCreatedAt'),
      type: 'DateTime',
      description: 'When its first message was saved.',
      resolve: ({ first }) => first.createdAt,
    }),
    lastCreatedAt: t.field({
      ...plain(({ last }: Segment) => `"${isoTime(last.createdAt)}"`, 'lastCreatedAt'),
      type: 'DateTime',
      description: 'When its last message was saved.',
      resolve: ({ last }) => last.createdAt,
    }),
  }),
});

export const chatOutlineRef = builder.objectRef<Chat>('ChatOutline').implement({
  description: 'The graph of a chat without the messages between forks.',
  fields: (t) => ({
    segments: t.field({
      ...countedBefore(1000),
      type: [segmentRef],
      description: 'Parents before children, siblings in their order.',
      resolve: async (chat, _args, context, info) => {
        const { loaders, budget } = context;
        const key = { chatId: chat.id, spans: await loaders.outline.load(chat.id) };
        budget?.take(key.spans.length, info);
        const write: WriteJson<SegmentColumn> = (members) => loaders.segmentsJson.load(key, members);
        if (await takeJson(context, key.spans.length, info, write)) return [];
        return takeRows(context, await loaders.segments.load(key), info);
      },
    }),
    branches: t.field(everyBranch),
    checkpoints: t.field(everyCheckpoint),
    messageCount: t.int({
      description: 'All messages of the graph, on every branch.',
      resolve: (chat, _args, { loaders }) => loaders.messageCount.load(chat.id),
    }),
  }),
});
