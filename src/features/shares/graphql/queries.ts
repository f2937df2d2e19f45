import { sharedCount, sharedPage, sharedText, type PathReader, type SharedMessage } from '../shared-path.js';
import { branchesOf, MAX_SHARED_BRANCHES, type ReadShare, type SharedBranch } from '../shared-branches.js';
import { shareOf } from '../shares.js';
import { isoTime } from '../../../graphql/answers/iso-time.js';
import { plain } from '../../../graphql/answers/plain-members.js';
import { fromJson } from '../../../graphql/answers/saved-json.js';
import { builder } from '../../../graphql/builder.js';
import { listSize } from '../../../graphql/limits/list-size.js';
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

const sharedBranchRef = builder.objectRef<SharedBranch>('SharedBranch').implement({
  description: 'A path of a share: the one that opens first, or that of another branch when it was shared.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its key in the share, for the argument branch of Query.shared.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'The name of the branch; null for a share of one path, and for a path that no branch ended with.',
    }),
    contentHash: t.exposeString('contentHash', {
      description: 'The hash of its messages: see SharedPath.contentHash.',
    }),
    messageCount: t.exposeInt('messageCount', { description: 'The number of its shown messages.' }),
    forkOf: t.string({
      nullable: true,
      description: 'The key of the earlier branch with which it has the most messages in common; null if none.',
      resolve: ({ forkOf }) => (forkOf === null ? null : String(forkOf)),
    }),
    forkPlace: t.exposeInt('forkPlace', {
      description: 'The number of shown messages in common: the depth of its first own message.',
    }),
  }),
});

const sharedPathRef = builder.objectRef<ReadShare>('SharedPath').implement({
  description: 'The path of a share: the messages from the root to the shared one, without hidden messages.',
  fields: (t) => ({
    title: t.exposeString('title', { nullable: true, description: 'The title of the share.' }),
    contentHash: t.exposeString('contentHash', {
      description: 'SHA-256 in hex of the messages as they are shown, in the canonical form of docs/access/shares.md.',
    }),
    sharedBy: t.exposeString('sharerName', { nullable: true, description: 'The name that the sharer gave.' }),
    branches: t.field({
      type: [sharedBranchRef],
      ...listSize(MAX_SHARED_BRANCHES + 1),
      description: `The paths of the share, at most ${MAX_SHARED_BRANCHES + 1}: first the one that opens first.`,
      resolve: ({ stored }) => branchesOf(stored),
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
      'expired or revoked, or the share has no such branch.',
    args: {
      token: t.arg.string({ required: true, description: 'The token of the share: 56 characters.' }),
      branch: t.arg.string({
        description:
          'The key of a branch of the share, at most 2 characters: see SharedPath.branches. By default the path that opens first.',
      }),
    },
    resolve: (_root, path, context) => shareOf(path, context),
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
