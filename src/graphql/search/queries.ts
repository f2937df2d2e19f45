import type { Hit } from '../../conversation/reads.js';
import { markedHtml, type Excerpt, type Span } from '../../search/excerpt.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import { connectionRef } from '../pages/connection.js';
import { chatRef, messageRef } from '../refs.js';
import { find, MAX_NAMES } from './find.js';
import { snippetOf } from './snippets.js';

const textRangeRef = builder.objectRef<Span>('TextRange').implement({
  description: 'A part of a text, in UTF-16 units.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'The first unit, from 0.' }),
    end: t.exposeInt('end', { description: 'The unit after the last one.' }),
  }),
});

const excerptRef = builder.objectRef<Excerpt>('SearchExcerpt').implement({
  description: 'A part of a text that a search has found.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'At most 30 words, with … where the text is cut.' }),
    matches: t.field({
      type: [textRangeRef],
      description: 'The matches within the text, in order.',
      resolve: ({ matches }) => [...matches],
    }),
  }),
});

const searchHitRef = builder.objectRef<Hit>('SearchHit').implement({
  description: 'A message found by a search.',
  fields: (t) => ({
    message: t.field({ type: messageRef, description: 'The message.', resolve: (hit) => hit.message }),
    rank: t.exposeFloat('rank', { description: 'Higher is better; comparable only within one answer.' }),
    snippet: t.string({
      description: 'The text around the match as HTML: escaped, with <mark> around the match.',
      resolve: async (hit, _args, context) => markedHtml(await snippetOf(hit, context)),
    }),
    excerpt: t.field({
      type: excerptRef,
      description: 'The same as plain text, for clients that draw the matches themselves.',
      resolve: (hit, _args, context) => snippetOf(hit, context),
    }),
  }),
});

const searchHitConnection = connectionRef('SearchHit', searchHitRef);

/** Search arguments that no other list has. */
const searchArguments = {
  query:
    'Words that must all occur, "phrases", prefixes* and -exclusions; all else is text, and no query is invalid. ' +
    'Ignores accents, case and English word forms. Uses the first 10,000 characters, 32 terms and 32 exclusions.',
  first: '20 by default, 1,000 at most.',
  after: 'Only hits after this cursor of the same search.',
};

const searchFilter = builder.inputType('SearchFilter', {
  description: 'Messages to search.',
  fields: (t) => ({
    chatId: t.id({ description: 'Only the messages of this chat.' }),
    userId: t.id({ description: 'Admins only: only messages in the chats of this user.' }),
    includeShared: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Also search chats of other users of which the viewer is a member, or with userId that user: the 1,000 that changed ' +
        'last. Not needed with chatId alone.',
    }),
    names: t.stringList({
      description: `Only messages with one of these names, such as user or assistant: at most ${MAX_NAMES}. ${NAME}`,
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only messages saved after this time, exclusive.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only messages saved before this time, exclusive.' }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    audit: null,
    type: searchHitConnection,
    description:
      "Full-text search over all messages, on any branch, of the viewer's chats (an admin's: everyone's); best match " +
      'first. With more than 1,000 matches, the newest are found.',
    args: {
      query: t.arg.string({ required: true, description: searchArguments.query }),
      filter: t.arg({
        type: searchFilter,
        description: "Messages to search: by default all of the viewer's own chats.",
      }),
      first: t.arg.int({ description: searchArguments.first }),
      after: t.arg.string({ description: searchArguments.after }),
    },
    resolve: (_root, { filter, ...args }, context) =>
      find(context, args, { ...filter, chatId: filter?.chatId ?? null, names: filter?.names ?? null }),
  }),
);

builder.objectField(chatRef, 'search', (t) =>
  t.field({
    type: searchHitConnection,
    description: 'Full-text search over the messages of this chat.',
    args: {
      query: t.arg.string({ required: true, description: searchArguments.query }),
      names: t.arg.stringList({
        description: `Only messages with one of these names, such as user or assistant: at most ${MAX_NAMES}. ${NAME}`,
      }),
      first: t.arg.int({ description: searchArguments.first }),
      after: t.arg.string({ description: searchArguments.after }),
    },
    resolve: (chat, { names, ...args }, context) => find(context, args, { chatId: chat.id, names: names ?? null }),
  }),
);
