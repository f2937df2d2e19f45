/** Mutations of a chat in tests, with their results in short. */
import { expect } from 'vitest';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

export type Fields = Record<string, unknown>;

/** The selected fields of a mutation's result. */
export async function mutate(
  parley: Pick<Parley, 'ask'>,
  field: string,
  input: Fields,
  selection: string,
): Promise<Fields> {
  const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  const { data, errors } = await parley.ask(
    `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ... on Error { code message } ... on InvalidInputError { path } ${selection} } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return (data as Record<string, Fields>)[field] as Fields;
}

export const SAVED =
  '... on SaveMessagesPayload { branched branch { name isActive } messages { id parentId siblingIndex } }';

export const saveAt = (parley: Pick<Parley, 'ask'>, input: Fields) =>
  mutate(parley, 'saveMessages', { chatId: 'c', ...input }, SAVED);

export const BRANCH = '... on BranchPayload { branch { id nodeId name isActive } branchEdge { cursor node { name } } }';

/** A chat with messages a, b and c on main. */
export async function chatOfThree(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: ['a', 'b', 'c'].map((id) => userMessage(id)) });
  return parley;
}
