/** The beginning of a conversation of several people, over GraphQL and with the context library. */
import { assistant, ContextEngine, RemoteStore, user } from '@parley/context';
import { expect } from 'vitest';
import { AUTH, bearer } from '../support/server/tokens.js';
import { startListening } from '../support/server/listening-server.js';

export interface Graph {
  messages: {
    edges: { node: { parentId: string | null; text: string; contentHash: string; sources: { id: string }[] } }[];
  };
}
export type Server = Awaited<ReturnType<typeof start>>;
export type Headers = Awaited<ReturnType<typeof bearer>>;

export async function start() {
  const { url, ask: post } = await startListening({ auth: AUTH });
  /** The result of the only field of an operation. */
  async function ask<T>(headers: Partial<Headers>, query: string, variables: object = {}): Promise<T> {
    const { data, errors } = await post(query, variables, headers);
    expect(errors).toBeUndefined();
    return Object.values(data!)[0] as T;
  }
  const change = async <T extends object>(
    headers: Headers,
    field: string,
    input: object,
    selection = '',
  ): Promise<T> => {
    const type = `${field[0]!.toUpperCase()}${field.slice(1)}`;
    const payload = `... on ${type === 'CreateShare' ? 'Share' : type}Payload { ${selection} }`;
    const fields = selection === '' ? '' : payload;
    const document = `mutation ($input: ${type}Input!) { ${field}(input: $input) { __typename ${fields} ... on Error { message } } }`;
    const result = await ask<T & { __typename: string }>(headers, document, { input });
    expect(result.__typename, JSON.stringify(result)).toMatch(/Payload$/);
    return result;
  };
  return { url, ask, change };
}

export function engineOf(
  { url }: Server,
  userId: string,
  headers: Headers,
  chatId: string,
  branch?: string,
): ContextEngine {
  return new ContextEngine({ store: new RemoteStore({ url, headers }), chatId, userId, branch });
}

/** The people, by the headers of their requests. */
export async function people() {
  const [ann, bob, carl, dora] = await Promise.all([bearer('ann'), bearer('bob'), bearer('carl'), bearer('dora')]);
  return { ann, bob, carl, dora };
}

/** The path of the branch `main` at the end. */
export const PATH = ['Lisbon or Porto?', 'Porto, for its river.', 'Both: Porto first.'];

/** A question of ann, two answers on two branches by two members, compared, and merged with a source. */
export async function tell(server: Server, { ann, bob, carl }: Record<'ann' | 'bob' | 'carl', Headers>): Promise<void> {
  const engine = engineOf(server, 'ann', ann, 'trip');
  await engine.set(user('Lisbon or Porto?', { id: 'question' })).save();
  await server.change(ann, 'addMember', { chatId: 'trip', userId: 'bob', role: 'WRITER' });
  await server.change(ann, 'addMember', { chatId: 'trip', userId: 'carl', role: 'COMMENTER' });
  await server.change(carl, 'btw', { chatId: 'trip', at: { message: 'question' }, branchName: 'side' });
  await engineOf(server, 'ann', carl, 'trip', 'side')
    .set(assistant('Lisbon, for its trams.', { id: 'lisbon' }))
    .save();
  await engineOf(server, 'ann', bob, 'trip')
    .set(assistant('Porto, for its river.', { id: 'porto' }))
    .save();
  const comparison = await engine.compare({ branch: 'side' });
  expect(comparison).toMatchObject({ status: 'DIVERGED', aheadBy: 1, behindBy: 1, commonAncestor: { id: 'question' } });
  await engine.merge({ branch: 'side', message: assistant('Both: Porto first.', { id: 'both' }) });
}
