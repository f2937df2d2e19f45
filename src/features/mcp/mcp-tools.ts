/** The tools of MCP clients: their inputs, and the documents that they run. */
import { z } from 'zod';
import type { Viewer } from '../../conversation/model.js';
import {
  COMPARE,
  CREATE_BRANCH,
  LIST_CHATS,
  READ_ACTIVE,
  READ_BRANCH,
  READ_TO_MESSAGE,
  RECALL,
  SAVE_MESSAGES,
  SEARCH,
} from './mcp-documents.js';

/** Runs a document on behalf of the viewer. @throws ToolError when it fails */
export type RunDocument = (document: string, variables: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** A failure with a text for the model. */
export class ToolError extends Error {}

export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Whether it needs WRITE, and MCP_WRITE. */
  writes: boolean;
  run(input: z.infer<Input>, run: RunDocument, viewer: Viewer): Promise<unknown>;
}

const MAX_PASSAGES = 10;
const MAX_SAVED = 20;

const id = z.string().min(1).max(255);
const query = z.string().min(1).max(1_000).describe('Words; also "phrases", prefixes* and -exclusions');
const countUpTo = (most: number, usual: number) => z.int().min(1).max(most).default(usual);
const cursor = z.string().max(1_000).optional().describe('endCursor of the previous page');
const place = z
  .strictObject({ branch: id.optional(), checkpoint: id.optional(), messageId: id.optional() })
  .describe('Exactly one of them');

function tool<Input extends z.ZodObject>(definition: McpTool<Input>): McpTool {
  return definition;
}

const includeShared = z.boolean().default(false).describe('Also chats of other users of which the user is a member');

/** Only with includeShared, chats of others are searched. */
const ownIn = ({ chatId, ...shared }: { chatId?: string | undefined; includeShared: boolean }, { userId }: Viewer) => ({
  userId,
  ...shared,
  ...(chatId !== undefined && { chatId }),
});

export const MCP_TOOLS: readonly McpTool[] = [
  tool({
    name: 'list_chats',
    title: 'List chats',
    description: 'Lists the chats of the user, newest change first.',
    input: z.strictObject({
      title: z.string().min(1).max(1_000).optional().describe('Words that the title must contain'),
      includeShared,
      first: countUpTo(50, 20),
      after: cursor,
    }),
    writes: false,
    run: async ({ title, first, after, ...shared }, run) => {
      const filter = { mine: true, ...shared, ...(title !== undefined && { title }) };
      return (await run(LIST_CHATS, { filter, first, after }))['chats'];
    },
  }),
  tool({
    name: 'search',
    title: 'Search messages',
    description: 'Finds messages on all branches of the chats of the user, best match first, with a snippet in HTML.',
    input: z.strictObject({ query, chatId: id.optional(), includeShared, first: countUpTo(50, 10), after: cursor }),
    writes: false,
    run: async ({ query, first, after, ...chats }, run, viewer) =>
      (await run(SEARCH, { query, filter: ownIn(chats, viewer), first, after }))['search'],
  }),
  tool({
    name: 'recall',
    title: 'Recall earlier passages',
    description:
      'Returns passages of earlier conversations: matching messages with the message before each, and their chat and id.',
    input: z.strictObject({ query, chatId: id.optional(), includeShared, limit: countUpTo(MAX_PASSAGES, 5) }),
    writes: false,
    run: async ({ query, limit, ...chats }, run, viewer) => {
      const { search } = await run(RECALL, { query, filter: ownIn(chats, viewer), first: limit });
      return { passages: (search as { edges: { node: { message: object } }[] }).edges.map(({ node }) => node.message) };
    },
  }),
  tool({
    name: 'read_path',
    title: 'Read a path of messages',
    description:
      'Reads the last messages of a path of a chat, root first: of the active branch, of a named branch, or up to a message. ' +
      'Pass startCursor as before to read earlier ones.',
    input: z.strictObject({
      chatId: id,
      branch: id.optional().describe('The name of a branch'),
      messageId: id.optional().describe('The last message; not together with branch'),
      last: countUpTo(100, 20),
      before: cursor.describe('startCursor of the previous page'),
    }),
    writes: false,
    run: async ({ chatId, branch, messageId, ...page }, run) => {
      if (branch !== undefined && messageId !== undefined) {
        throw new ToolError('branch cannot be given together with messageId');
      }
      const document = messageId !== undefined ? READ_TO_MESSAGE : branch !== undefined ? READ_BRANCH : READ_ACTIVE;
      const chat = chatIn(await run(document, { chatId, branch, messageId, ...page }), chatId);
      if (chat['at'] === null) throw new ToolError(`Chat "${chatId}" has no such branch or message`);
      return chat;
    },
  }),
  tool({
    name: 'compare',
    title: 'Compare two places of a chat',
    description:
      'Compares two branches, checkpoints or messages: the common ancestor, and the messages that only one side has.',
    input: z.strictObject({ chatId: id, base: place, head: place, first: countUpTo(50, 10) }),
    writes: false,
    run: async ({ chatId, ...places }, run) => {
      const { compare } = chatIn(await run(COMPARE, { chatId, ...places }), chatId);
      if (compare === null) throw new ToolError(`Chat "${chatId}" lacks one of the places, or its branch is empty`);
      return compare;
    },
  }),
  tool({
    name: 'save_messages',
    title: 'Save messages',
    description: 'Appends messages at the end of a branch, by default the active one. It changes and deletes nothing.',
    input: z.strictObject({
      chatId: id,
      branch: id.optional().describe('The name of a branch'),
      expectedHeadId: id.optional().describe('Fails unless this is the last message of the branch'),
      messages: z
        .array(z.strictObject({ name: id.describe('user, assistant or another name'), text: z.string().max(100_000) }))
        .min(1)
        .max(MAX_SAVED),
    }),
    writes: true,
    run: ({ messages, expectedHeadId, ...input }, run) =>
      changeWith(run, SAVE_MESSAGES, {
        ...input,
        expectedHead: expectedHeadId === undefined ? null : { id: expectedHeadId },
        messages: messages.map(({ name, text }) => ({ name, content: { text } })),
      }),
  }),
  tool({
    name: 'create_branch',
    title: 'Create a branch',
    description: 'Creates an inactive branch at a message, by default at the end of the active branch.',
    input: z.strictObject({ chatId: id, branchName: id, messageId: id.optional() }),
    writes: true,
    run: ({ messageId, ...input }, run) =>
      changeWith(run, CREATE_BRANCH, { ...input, at: messageId === undefined ? null : { message: messageId } }),
  }),
];

function chatIn({ chat }: Record<string, unknown>, chatId: string): Record<string, unknown> {
  if (chat === null) throw new ToolError(`Chat "${chatId}" not found`);
  return chat as Record<string, unknown>;
}

async function changeWith(run: RunDocument, document: string, input: object): Promise<unknown> {
  const { result } = (await run(document, { input })) as { result: { __typename: string; message?: string } };
  if (result.__typename.endsWith('Error')) throw new ToolError(result.message ?? result.__typename);
  return result;
}
