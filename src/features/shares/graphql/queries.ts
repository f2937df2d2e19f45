import type { SharedEnd } from '../share-records.js';
import { sharedCount, sharedPage, sharedText, type PathReader, type SharedMessage } from '../shared-path.js';
import { shareOf } from '../shares.js';
import { isoTime } from '../../../graphql/answers/iso-time.js';
import { plain } from '../../../graphql/answers/plain-members.js';
import { fromJson } from '../../../graphql/answers/saved-json.js';
import { builder } from '../../../graphql/builder.js';
import { rememberLength } from '../../../graphql/limits/json-length.js';
import { countedConnectionRef, loadConnection } from '../../../graphql/pages/connection.js';
import { GraphQLError, Kind, OperationTypeNode, parse } from 'graphql';

const sharedMessageRef = builder.objectRef<SharedMessage>('SharedMessage').implement({
  description: 'A message as a share shows it: without ids, users and metadata.',
  fields: (t) => ({
    name: t.exposeString('name', {
      ...plain((message: SharedMessage) => JSON.stringify(message.name)),
      description: 'user, assistant, system, tool, or any other name.',
    }),
    type: t.exposeString('type', {
      ...plain((message: SharedMessage) => JSON.stringify(message.type)),
      description: '"message" unless it was saved with another.',
    }),
    data: t.field({
      ...plain((message: SharedMessage) => JSON.stringify(message.data)),
      type: 'JSON',
      description:
        'Text and file parts, and reasoning and tool parts if the share includes them, with the members of docs/access/shares.md; ' +
        'the text of any other value.',
      resolve: ({ data, savedLength }) => {
        rememberLength(data, savedLength);
        return data;
      },
    }),
    text: t.string({
      ...plain((message: SharedMessage) => JSON.stringify(sharedText(message))),
      description: 'The plain text of data: the string itself, or its text parts joined by a blank line.',
      resolve: sharedText,
    }),
    createdAt: t.expose('createdAt', {
      ...plain((message: SharedMessage) => `"${isoTime(message.createdAt)}"`),
      type: 'DateTime',
      description: 'When it was saved.',
    }),
    depth: t.exposeInt('depth', {
      ...plain((message: SharedMessage) => String(message.depth)),
      description: 'Its place in the shared path, from 0.',
    }),
  }),
});

const sharedMessageConnection = countedConnectionRef('SharedMessage', sharedMessageRef);

const sharedPathRef = builder.objectRef<SharedEnd>('SharedPath').implement({
  description: 'The path of a share: the messages from the root to the shared one, without hidden messages.',
  fields: (t) => ({
    title: t.exposeString('title', { nullable: true, description: 'The title of the share.' }),
    contentHash: t.exposeString('contentHash', {
      description: 'SHA-256 in hex of the messages as they are shown, in the canonical form of docs/access/shares.md.',
    }),
    sharedAt: t.expose('createdAt', { type: 'DateTime', description: 'When the share was created.' }),
    messageCount: t.int({ description: 'The number of shown messages.', resolve: sharedCount }),
    messages: t.field({
      type: sharedMessageConnection,
      description: 'The shown messages, root first. A page costs the same for any length of the path.',
      args: t.arg.connectionArgs(),
      resolve: (share, args, context) => {
        const path: PathReader = {
          readPage: (key, page) => context.loaders.pathPage.load(key, page),
          parse: (message) => fromJson(message, message.data, context, (value) => value),
        };
        return loadConnection(
          // Without ids: readers can decode cursors.
          { kind: 'shared', of: share.contentHash },
          args,
          (page) => sharedPage(share, page, path),
          ({ depth }) => depth,
        );
      },
    }),
  }),
});

builder.queryField('shared', (t) =>
  t.field({
    audit: { event: 'share.read', idsOf: ({ id, chatId }) => ({ chats: [chatId], target: id }) },
    type: sharedPathRef,
    nullable: true,
    description:
      'The shared path of a token. Needs no sign-in when it is the only field of a query. Null if the token is invalid, ' +
      'expired or revoked.',
    args: { token: t.arg.string({ required: true, description: 'The token of the share: 56 characters.' }) },
    resolve: (_root, { token }, context) => shareOf(token, context),
  }),
);

/** Characters and tokens of such a document. */
const MAX_CHARACTERS = 4_000;
const MAX_TOKENS = 500;

/** Whether a document has one operation, a query with `shared` as its only field. */
export function isSharedDocument(text: string): boolean {
  if (text.length > MAX_CHARACTERS || !text.includes('shared')) return false;
  try {
    const { definitions } = parse(text, { maxTokens: MAX_TOKENS, noLocation: true });
    const [operation, ...others] = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
    if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return false;
    const [field, ...fields] = operation.selectionSet.selections;
    const isOnly = field?.kind === Kind.FIELD && field.name.value === 'shared' && fields.length === 0;
    return isOnly && operation.operation === OperationTypeNode.QUERY;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
