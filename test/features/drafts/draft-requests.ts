/** Requests that change and read drafts. */
import { expect } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';

type Fields = Record<string, unknown>;

const PATH = '... on InvalidInputError { path }';

const DRAFT = `${PATH} ... on DraftOffsetError { length } ... on DraftPayload { draft {
  id branch { name } parent { id } name metadata length state startedBy text
} previousActiveBranch { name isActive head { id } } }`;

const SAVED = `${PATH} ... on SaveMessagesPayload {
  branched branch { name isActive messageCount } messages { id parentId name type data }
}`;

export const INPUTS: Record<string, [input: string, selection: string]> = {
  startDraft: ['StartDraftInput', DRAFT],
  appendToDraft: ['AppendToDraftInput', DRAFT],
  finishDraft: ['FinishDraftInput', SAVED],
  stopDraft: ['DraftInput', DRAFT],
  discardDraft: ['DraftInput', '... on DiscardDraftPayload { chat { id } deletedId }'],
  saveMessages: ['SaveMessagesInput', SAVED],
};

/** The result of a mutation. */
export async function mutate(parley: Pick<Parley, 'ask'>, field: string, input: Fields = {}): Promise<Fields> {
  const [type, selection] = INPUTS[field]!;
  const { data, errors } = await parley.ask(
    `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ... on Error { code message } ${selection} } }`,
    { input: { chatId: 'c', ...input } },
  );
  expect(errors).toBeUndefined();
  return (data as Record<string, Fields>)[field]!;
}

/** A chat with messages a, b and c on main. */
export async function chatOfThree(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: ['a', 'b', 'c'].map((id) => userMessage(id)) });
  return parley;
}

export const append = (parley: Parley, offset: number, ...chunks: unknown[]) =>
  mutate(parley, 'appendToDraft', { id: 'd', offset, chunks });

export async function draftsOf(parley: Parley): Promise<Fields[]> {
  const { data } = await parley.ask('{ chat(id: "c") { drafts { edges { node { id length state text chunks } } } } }');
  return (data as { chat: { drafts: { edges: { node: Fields }[] } } }).chat.drafts.edges.map(({ node }) => node);
}

/** The branches and the drafts of the chat: an active branch has an asterisk, and each its head. */
export async function branchesOf(parley: Parley): Promise<string[]> {
  const { data } = await parley.ask('{ chat(id: "c") { branches { edges { node { name isActive head { id } } } } } }');
  type Edge = { node: { name: string; isActive: boolean; head: { id: string } | null } };
  const { edges } = (data as { chat: { branches: { edges: Edge[] } } }).chat.branches;
  return edges.map(({ node }) => `${node.name}${node.isActive ? '*' : ''} ${node.head?.id}`).toSorted();
}

export const change = async (parley: Parley, field: string, input: string) =>
  expect(await parley.ask(`mutation { ${field}(input: { chatId: "c", ${input} }) { __typename } }`)).not.toHaveProperty(
    'errors',
  );
