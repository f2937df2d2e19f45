/** The nodeIds of objects that features add, their lookup, and the same fields of each removal. */
import { beforeEach, describe, expect, test } from 'vitest';
import { openParley, type Parley } from '../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
});

type Fields = Record<string, { nodeId: string; deletedNodeId: string } & Record<string, unknown>>;

async function as<Data = Fields>(userId: string, document: string): Promise<Data> {
  const { data, errors } = await parley.ask(document, {}, { 'x-user-id': userId });
  if (errors !== undefined) throw new Error(errors[0]?.message);
  return data as Data;
}

const message = '{ id: "m", name: "user", content: { text: "a" } }';
const CREATE = `mutation {
  saveMessages(input: { chatId: "c:1", createChat: {}, messages: [${message}] }) { __typename }
  startDraft(input: { chatId: "c:1", id: "d" }) { ... on DraftPayload { draft { nodeId } draftEdge { cursor node { nodeId } } } }
  createShare(input: { chatId: "c:1" }) { ... on SharePayload { share { nodeId id } shareEdge { cursor node { nodeId } } } }
  addMember(input: { chatId: "c:1", userId: "bob", role: READER }) {
    ... on AddMemberPayload { member { nodeId } memberEdge { cursor node { nodeId } } }
  }
  createAccessToken(input: { name: "script" }) { ... on AccessTokenPayload { accessToken { nodeId id } accessTokenEdge { cursor node { nodeId } } } }
}`;

interface Created {
  startDraft: { draft: { nodeId: string }; draftEdge: object };
  createShare: { share: { nodeId: string; id: string }; shareEdge: object };
  addMember: { member: { nodeId: string }; memberEdge: object };
  createAccessToken: { accessToken: { nodeId: string; id: string }; accessTokenEdge: object };
}

const found = (userId: string, nodeId: string) =>
  as<{ node: object | null }>(userId, `{ node(nodeId: "${nodeId}") { __typename nodeId } }`);

describe('drafts, shares, members and access tokens', () => {
  let nodeIds: Record<string, string>;
  let created: Created;
  beforeEach(async () => {
    created = await as<Created>('ann', CREATE);
    nodeIds = {
      Draft: created.startDraft.draft.nodeId,
      Share: created.createShare.share.nodeId,
      ChatMember: created.addMember.member.nodeId,
      AccessToken: created.createAccessToken.accessToken.nodeId,
    };
  });

  test('are found by their nodeIds', async () => {
    for (const [__typename, nodeId] of Object.entries(nodeIds))
      expect(await found('ann', nodeId)).toEqual({ node: { __typename, nodeId } });
  });

  test('are found only by viewers of their lists', async () => {
    for (const nodeId of Object.values(nodeIds)) expect(await found('carol', nodeId)).toEqual({ node: null });
    const ofBob = await Promise.all(Object.values(nodeIds).map((nodeId) => found('bob', nodeId)));
    expect(ofBob.map(({ node }) => node !== null)).toEqual([true, false, true, false]);
  });

  test('are not found by damaged nodeIds', async () => {
    const ids = ['Draft:d', 'Draft:[]', 'Draft:{}', 'Draft:null', 'Share:["c:1"]', 'ChatMember:["c:1",7]', 'Toast:1'];
    for (const id of ids) expect(await found('ann', Buffer.from(id).toString('base64url'))).toEqual({ node: null });
  });

  test('have edges with the cursors of their lists', async () => {
    const EDGES = '{ edges { cursor node { nodeId } } }';
    type List = { edges: object[] };
    const { chat, viewer } = await as<{ chat: Record<string, List>; viewer: Record<string, List> }>(
      'ann',
      `{ chat(id: "c:1") { shares ${EDGES} members ${EDGES} drafts ${EDGES} } viewer { accessTokens ${EDGES} } }`,
    );
    expect(chat['shares']!.edges).toEqual([created.createShare.shareEdge]);
    expect(chat['members']!.edges[1]).toEqual(created.addMember.memberEdge);
    expect(chat['drafts']!.edges).toEqual([created.startDraft.draftEdge]);
    expect(viewer['accessTokens']!.edges).toEqual([created.createAccessToken.accessTokenEdge]);
  });

  test('have the same fields after their removal', async () => {
    const share = created.createShare.share.id;
    const token = created.createAccessToken.accessToken.id;
    const ids = 'deletedId deletedNodeId';
    const document = `mutation {
      discardDraft(input: { chatId: "c:1", id: "d" }) { ... on DiscardDraftPayload { ${ids} } }
      revokeShare(input: { id: "${share}" }) { ... on RevokeSharePayload { ${ids} } }
      removeMember(input: { chatId: "c:1", userId: "bob" }) { ... on RemoveMemberPayload { ${ids} } }
      revokeAccessToken(input: { id: "${token}" }) { ... on RevokeAccessTokenPayload { ${ids} } }
      deleteChat(input: { chatId: "c:1" }) { ... on DeleteChatPayload { ${ids} } }
    }`;
    expect(await as('ann', document)).toEqual({
      discardDraft: { deletedId: 'd', deletedNodeId: nodeIds['Draft'] },
      revokeShare: { deletedId: share, deletedNodeId: nodeIds['Share'] },
      removeMember: { deletedId: 'bob', deletedNodeId: nodeIds['ChatMember'] },
      revokeAccessToken: { deletedId: token, deletedNodeId: nodeIds['AccessToken'] },
      deleteChat: { deletedId: 'c:1', deletedNodeId: Buffer.from('Chat:c:1').toString('base64url') },
    });
    for (const nodeId of Object.values(nodeIds)) expect(await found('ann', nodeId)).toEqual({ node: null });
  });
});
