/** Forks of chats, and what must be equal in a chat and its fork. */
import { expect } from 'vitest';
import { verifyDigests } from '../../../src/features/maintenance/verify-command.js';
import { connect } from '../../../src/database/opening/open.js';
import { expectSoundDatabase } from '../database/sound-database.js';
import type { Parley } from '../server/parley.js';

export type ForkResult = { __typename: string; message?: string; path?: string; chat: { id: string } };

/** @param selection further fields of the new chat */
export async function fork(parley: Parley, input: object, selection = ''): Promise<ForkResult> {
  const { data, errors } = await parley.ask(
    `mutation ($input: ForkChatInput!) { forkChat(input: $input) { __typename
      ... on ForkChatPayload { chat { id ${selection} } chatEdge { node { id } } } ... on Error { message } ... on InvalidInputError { path } } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return (data as { forkChat: ForkResult }).forkChat;
}

export async function forked(parley: Parley, input: object): Promise<string> {
  const result = await fork(parley, input);
  if (result.__typename !== 'ForkChatPayload') throw new Error(result.message);
  return result.chat.id;
}

export interface Copied {
  id: string;
  preview: string;
  contentHash: string;
  sourceHashes: string[];
  siblingIndex: number;
  seq: number;
  depth: number;
  parent: { seq: number } | null;
  sources: { id: string; seq: number }[];
}

interface Graph {
  usage: unknown;
  messages: { edges: { node: Copied }[] };
  branches: { edges: { node: { name: string; isActive: boolean; head: { seq: number } | null } }[] };
  checkpoints: { edges: { node: { name: string; message: { seq: number } } }[] };
  search: { edges: { node: { snippet: string; message: { seq: number } } }[] };
}

/** The values of a chat without ids of its own. */
export async function graphOf(parley: Parley, id: string) {
  const { data } = await parley.ask(
    `query ($id: ID!) { chat(id: $id) {
      usage { model inputTokens outputTokens }
      messages(first: 200) { edges { node { id seq depth siblingIndex name type text data preview createdAt createdBy contentHash
        parent { seq } sources { id seq } sourceHashes path(first: 1) { totalCount edges { node { seq } } } } } }
      branches(first: 40) { edges { node { name isActive head { seq } usage { model inputTokens } } } }
      checkpoints(first: 40) { edges { node { name message { seq } } } }
      search(query: "word", first: 200) { edges { node { snippet message { seq } } } } } }`,
    { id },
  );
  const { usage, messages, branches, checkpoints, search } = (data as { chat: Graph }).chat;
  return {
    usage,
    messages: messages.edges.map(({ node: { id: _, sources, ...node } }) => ({
      ...node,
      sources: sources.map(({ seq }) => seq),
    })),
    ids: messages.edges.map(({ node }) => node.id),
    branches: branches.edges.map(({ node }) => node),
    checkpoints: checkpoints.edges.map(({ node }) => node),
    found: search.edges.map(({ node }) => node.snippet).sort(),
  };
}

/** Expects no findings of `npm run check` and `npm run verify`, and every hash computed. */
export async function expectVerified(url: string): Promise<void> {
  await expectSoundDatabase(url);
  const { connection } = await connect(url, { migrate: false, isReadOnly: true });
  const { report, missing } = await verifyDigests(connection);
  await connection.close();
  expect({ problems: report.problems(), missing }).toEqual({ problems: [], missing: 0 });
}
