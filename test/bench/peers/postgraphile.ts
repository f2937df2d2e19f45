/** PostGraphile on Parley's tables, called over HTTP. */
import { randomUUID } from 'node:crypto';
import { COMMON_WORD, RARE_WORD } from '../measuring/fixture.js';
import { startWorker } from '../measuring/processes.js';
import { wholeAnswer, type Post } from '../measuring/server.js';
import { withHttpSubject } from './over-http.js';
import type { Size, Subject } from './tasks.js';

const chain = (chat: string) => `{ messageChain(chat: "${chat}") { nodes { rowId parentId name data createdAt } } }`;

const search = (word: string) =>
  `{ searchMessages(chat: "chain10000", word: "${word}") { nodes {
    rank snippet messageId name data createdAt } } }`;

const DOCUMENTS = {
  empty: '{ __typename }',
  chat: '{ chat: chatByRowId(rowId: "chain10000") { id: rowId } }',
  chain1000: chain('chain1000'),
  chain10000: chain('chain10000'),
  graph: `{ allMessages(condition: { chatId: "chain10000" }, orderBy: SEQ_ASC) { nodes {
      rowId parentId name preview createdAt } }
    allBranches(condition: { chatId: "chain10000" }) { nodes { name isActive headMessageId } }
    allCheckpoints(condition: { chatId: "chain10000" }) { nodes { name messageId } } }`,
  rare: search(RARE_WORD),
  common: search(COMMON_WORD),
  branches: `{ allBranches(condition: { chatId: "branchy" }, orderBy: CHAT_ID_ASC) { nodes {
    rowId name isActive createdAt headMessageId messageCount } } }`,
};

const SAVE = `mutation ($question: MessageInput!, $answer: MessageInput!, $branch: UpdateBranchByRowIdInput!) {
  question: createMessage(input: { message: $question }) { clientMutationId }
  answer: createMessage(input: { message: $answer }) { clientMutationId }
  branch: updateBranchByRowId(input: $branch) { clientMutationId } }`;

/**
 * @param node the path of the Node that runs it
 * @param schemas of Parley in the database
 */
export async function withPostgraphile<T>(
  node: string,
  url: string,
  schemas: Record<Size, string>,
  measure: (subject: Subject) => Promise<T>,
): Promise<T> {
  const worker = startWorker(new URL('./postgraphile-process.mjs', import.meta.url), {
    execPath: node,
    execArgv: [],
    env: { ...process.env, GRAPHILE_ENV: 'production' },
  });
  try {
    const urls = (await worker.ask({ url, schemas })) as Record<Size, string>;
    const savers = { small: await saverOf(urls.small), large: await saverOf(urls.large) };
    return await withHttpSubject(urls, DOCUMENTS, (post, size) => savers[size](post), measure);
  } finally {
    await worker.stop();
  }
}

/**
 * Saves with its generated mutations, one row each: without rules, log or search index; the client counts positions.
 */
async function saverOf(url: string): Promise<(post: Post) => Promise<void>> {
  const found = await wholeAnswer(url, '{ allBranches(condition: { chatId: "posted" }) { nodes { rowId } } }');
  const { data } = JSON.parse(found) as { data: { allBranches: { nodes: { rowId: string }[] } } };
  const rowId = data.allBranches.nodes[0]!.rowId;
  let depth = 0;
  let parentId: string | null = null;
  const message = (name: string) => {
    const [rowId, text] = [randomUUID(), 'A question, or an answer.'];
    const row = {
      ...{ rowId, chatId: 'posted', parentId, name, type: 'message', createdAt: String(Date.now()) },
      ...{ depth, seq: depth + 2, siblingIndex: 0, jumpId: rowId, preview: text },
      createdBy: 'posted',
      data: JSON.stringify({ id: rowId, role: name, parts: [{ type: 'text', text }] }),
    };
    parentId = rowId;
    depth++;
    return row;
  };
  return async (post) => {
    const [question, answer] = [message('user'), message('assistant')];
    const branch = { rowId, branchPatch: { headMessageId: answer.rowId } };
    const response = await post(SAVE, { question, answer, branch });
    if (!response.startsWith('{"data":{"question":{')) throw new Error(`not saved: ${response}`);
  };
}
