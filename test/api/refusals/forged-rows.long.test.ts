/**
 * A stored reference to a row of another user's chat is never followed. Each column and each member of an event's payload
 * that refers to a row is forged in turn; no read or change by the owner of the forged row returns data of the other
 * user.
 */
import { getNamedType, isAbstractType, isObjectType, type GraphQLNamedType, type GraphQLOutputType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../../src/server/schema.js';
import { tableAt } from '../../support/database/all-rows.js';
import { ask, belongingsOf, calls, documentFor, UNLIMITED, type Belongings } from '../../support/chats/belongings.js';
import { everything, fieldsOf } from '../../support/chats/id-arguments.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { damagingDatabase, type RawDatabase } from '../../support/database/raw-database.js';

const typeNamed = (name: string) => schema.getType(name)!;

/** A reference of stored rows: a column, or a member of the payload of one event. */
interface Reference {
  name: string;
  /** Makes rows of a chat refer to a row of another user. @returns the id in them */
  forge(database: RawDatabase, own: Belongings, foreign: Belongings): Promise<string>;
  /** The first event in the log that refers to it. */
  seq?: number;
}

/** The id of the same kind of row. */
function targetOf(column: string, { branchId, checkpointId, messageId }: Belongings): string {
  if (/branch/i.test(column)) return branchId;
  return /checkpoint/i.test(column) ? checkpointId : messageId;
}

const isReference = (name: string) =>
  name.endsWith('Id') && !['chatId', 'userId', 'previousUserId', 'actorId'].includes(name);

/** The rows of a chat to forge if not all can be, and the condition under which the column is used. */
const ROWS: Record<string, (own: Belongings) => { where?: string; set?: string }> = {
  'messages.parentId': () => ({ where: `"depth" > 0` }),
  'message_texts.messageId': ({ messageId }) => ({ where: `"messageId" = '${messageId}'` }),
  'drafts.messageId': () => ({ set: `, "endedAt" = "startedAt"` }),
};

/** Each reference in rows of chats: in tables with a chatId, and in the log. */
async function referencesOf(parley: Parley, database: RawDatabase, sample: Belongings): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const name of await database.tables()) {
    const [row] = await database.rows(`SELECT * FROM ${name}`);
    if (row === undefined || !('chatId' in row)) continue;
    const table = name.replaceAll('"', '');
    for (const column of Object.keys(row).filter(isReference)) {
      const title = `${table}.${column}`;
      references.push({
        name: title,
        async forge(database, own, foreign) {
          const { where = '1 = 1', set = '' } = ROWS[title]?.(own) ?? {};
          const target = targetOf(column === 'headMessageId' ? 'messageId' : column, foreign);
          // Each message has one text.
          if (table === 'message_texts') await database.run(`DELETE FROM ${name} WHERE "messageId" = '${target}'`);
          await database.run(
            `UPDATE ${name} SET "${column}" = '${target}' ${set} WHERE "chatId" = '${own.chatId}' AND ${where}`,
          );
          return target;
        },
      });
    }
  }
  const events = tableAt(parley.databaseUrl, 'chat_events').sql;
  const log = await database.rows<{ seq: number | string; type: string; payload: string }>(
    `SELECT "seq", "type", "payload" FROM ${events} WHERE "chatId" = '${sample.chatId}' ORDER BY "seq"`,
  );
  for (const { seq, type, payload } of log) {
    for (const member of Object.keys(JSON.parse(payload) as object).filter(isReference)) {
      references.push({
        name: `${type}.${member} at ${seq}`,
        seq: Number(seq),
        async forge(database, own, foreign) {
          const place = `"chatId" = '${own.chatId}' AND "seq" = ${seq}`;
          const [event] = await database.rows<{ payload: string }>(`SELECT "payload" FROM ${events} WHERE ${place}`);
          const target = targetOf(member, foreign);
          const forged = JSON.stringify({ ...(JSON.parse(event!.payload) as object), [member]: target });
          await database.run(`UPDATE ${events} SET "payload" = '${forged}' WHERE ${place}`);
          return target;
        },
      });
    }
  }
  return references;
}

/** The element type of a connection, otherwise the type itself, and the selection. */
function elementsOf(type: GraphQLOutputType): { type: GraphQLNamedType; select: (fields: string) => string } {
  const named = getNamedType(type);
  const edges = isObjectType(named) ? named.getFields()['edges'] : undefined;
  if (edges === undefined) return { type: named, select: (fields) => fields };
  const edge = getNamedType(edges.type);
  const node = isObjectType(edge) ? edge.getFields()['node']! : edges;
  return { type: getNamedType(node.type), select: (fields) => `{ edges { node ${fields} } }` };
}

/** Values for the required arguments of fields of Chat. */
const ARGUMENTS: Record<string, string> = {
  branch: '(name: "main")',
  checkpoint: '(name: "mallory mark")',
  message: '(id: $otherMessageId)',
  search: '(query: "asks")',
};

/** Queries that together read all data of a chat. */
function queries(): string[] {
  const ofChat = fieldsOf(schema)
    .filter(({ name }) => name.startsWith('Chat.'))
    .flatMap(({ field }) => {
      const { type, select } = elementsOf(field.type);
      if (!isObjectType(type) && !isAbstractType(type)) return [];
      return [
        `chat(id: $chatId) { ${field.name}${ARGUMENTS[field.name] ?? ''} ${select(everything(schema, type, 2))} }`,
      ];
    });
  const message = everything(schema, typeNamed('Message'), 0);
  const pages = (field: string) =>
    ['first: 1', 'last: 1', 'first: 3, around: $messageId']
      .map((args, n) => `page${n}: ${field}(${args}) { edges { cursor node ${message} } }`)
      .join(' ');
  const fields = [
    ...ofChat,
    `chat(id: $chatId) { messages { edges { node { ${pages('path')} } } } }`,
    `chat(id: $chatId) { branch(name: "main") { ${pages('messages')} } }`,
    `chat(id: $chatId) { activeBranch { ${pages('messages')} context(input: {}) { messages } } }`,
    `message(id: $otherMessageId) ${everything(schema, typeNamed('Message'), 2)}`,
    `search(query: "asks") { edges { node ${everything(schema, typeNamed('SearchHit'), 2)} } }`,
    `chats(first: 1) { edges { node ${everything(schema, typeNamed('Chat'), 1)} } }`,
  ];
  return fields.map((field) => {
    const variables = ['chatId', 'messageId', 'otherMessageId'].filter((name) => field.includes(`$${name}`));
    const declared = variables.map((name) => `$${name}: ID!`).join(', ');
    return `query ${declared && `(${declared})`} { ${field} }`;
  });
}

/** Changes that delete rows come last. */
const MUTATIONS = Object.keys(calls)
  .filter((name) => name.startsWith('Mutation.'))
  .sort((one, other) => Number(/delete|rename|discard/.test(one)) - Number(/delete|rename|discard/.test(other)));

/** Seconds: a follower of a draft whose row is forged waits for its end. */
const IDLE = 60;

/** A chat with an event of each type that its owner can cause alone. */
async function fullChat(parley: Parley, userId: string): Promise<Belongings> {
  const own = await belongingsOf(parley, userId, IDLE);
  const { chatId } = own;
  const { text } = await ask(
    parley,
    userId,
    `mutation {
      btw(input: { chatId: "${chatId}", branchName: "aside" }) { __typename }
      renameBranch(input: { chatId: "${chatId}", name: "aside", newName: "beside" }) { __typename }
      deleteBranch(input: { chatId: "${chatId}", name: "beside" }) { __typename }
    }`,
    {},
  );
  expect(text).not.toContain('Error');
  return own;
}

function subscriptionsOf(own: Belongings, seq: number | undefined): { query: string; variables: object }[] {
  const names = ['Subscription.branchHead', 'Subscription.chatEvents', 'Subscription.drafts', 'Subscription.draft'];
  return fieldsOf(schema)
    .filter(({ name }) => names.includes(name))
    .flatMap((field) => {
      const { document: query, variables } = documentFor(field, own);
      const present = { query, variables };
      if (seq === undefined || /draft/.test(field.name)) return [present];
      // The log has an event when an inactive branch becomes active.
      const resumed = { query, variables: { ...variables, after: seq - 1 } };
      return field.name === 'Subscription.chatEvents' || seq <= LAST_ACTIVATION ? [present, resumed] : [present];
    });
}

/** Causes a first response despite a forged row: a draft starts, and a branch becomes active. */
const SAVE_AND_EDIT = `mutation ($chatId: ID!, $messageId: ID!) {
  startDraft(input: { chatId: $chatId }) { __typename }
  rewind(input: { chatId: $chatId, at: { message: $messageId } }) { __typename }
}`;

/** The seq of the event in fullChat that makes the branch of the edit active. */
const LAST_ACTIVATION = 7;

test('no reference of a stored row leads to the chat of another user', async () => {
  const parley = await openParley({ limits: UNLIMITED });
  const database = await damagingDatabase(parley.databaseUrl);
  const alice = await fullChat(parley, 'alice');
  // The server would close it during the test.
  const discard = 'mutation ($input: DraftInput!) { discardDraft(input: $input) { __typename } }';
  await ask(parley, 'alice', discard, { input: { chatId: alice.chatId, id: alice.draftId } });
  const wholeChat = `query ($id: ID!) { chat(id: $id) ${everything(schema, typeNamed('Chat'), 2)} }`;
  const before = await ask(parley, 'alice', wholeChat, { id: alice.chatId });

  const references = await referencesOf(parley, database, await fullChat(parley, 'mallory'));
  const ofNames = new Map(references.map((reference) => [reference.name.replace(/ at .*/, ''), reference]));
  expect([...ofNames.keys()].sort()).toEqual(
    expect.arrayContaining([
      ...['BranchActivated.branchId', 'BranchCreated.branchId', 'BranchCreated.headId', 'BranchDeleted.branchId'],
      ...[
        'BranchDeleted.headId',
        'BranchHeadMoved.branchId',
        'BranchHeadMoved.headId',
        'BranchHeadMoved.previousHeadId',
      ],
      ...['BranchRenamed.branchId', 'CheckpointSaved.checkpointId', 'CheckpointSaved.messageId'],
      ...['branches.headMessageId', 'checkpoints.messageId', 'drafts.branchId', 'drafts.messageId', 'drafts.parentId'],
      ...['message_texts.messageId', 'messages.jumpId', 'messages.parentId'],
    ]),
  );

  const leaks: unknown[] = [];
  // One event of each type.
  for (const { name, forge, seq } of ofNames.values()) {
    const own = await fullChat(parley, 'mallory');
    const forgedId = await forge(database, own, alice);
    const see = (what: string, text: string) => {
      const shown = text.replaceAll(forgedId, '<forged>');
      if (/alice/.test(shown) || shown.includes(alice.branchId) || shown.includes(alice.checkpointId)) {
        leaks.push({ name, what, shown });
      }
    };
    // Queries read only the events of a log, and mutations read none.
    const isEvent = seq !== undefined;
    for (const query of queries().filter((each) => !isEvent || each.includes('events')))
      see(query, (await ask(parley, 'mallory', query, own)).text);
    for (const { query, variables } of subscriptionsOf(own, seq)) {
      const then = () => ask(parley, 'mallory', SAVE_AND_EDIT, own);
      see(query, (await ask(parley, 'mallory', query, variables, then)).text);
    }
    for (const mutation of isEvent ? [] : MUTATIONS) {
      const field = fieldsOf(schema).find((each) => each.name === mutation)!;
      const { document, variables } = documentFor(field, own);
      see(mutation, (await ask(parley, 'mallory', document, variables)).text);
    }
  }
  expect(leaks).toEqual([]);
  const after = await ask(parley, 'alice', wholeChat, { id: alice.chatId });
  expect(after.text).toBe(before.text);
});
