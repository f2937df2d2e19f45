/** Saves and answers a message of a user, or writes another answer to a saved one. */
import { ContextError, orNull } from '../errors.js';
import { textOf, type UIMessage, isUIMessage } from '../messages/ui-message.js';
import { messageNotFound } from '../store/context-store.js';
import type { StartedAnswer } from '../store/draft-data.js';
import type { MessageData, NewMessageData } from '../store/store-data.js';
import type { AnswerBody } from './answer-body.js';
import type { AnswerContext } from './answer-options.js';
import { draftOf, followAnswer } from './follow-answer.js';
import { endAbandoned, endDraft, endForNext } from './open-drafts.js';
import { readDraft } from '../streaming/left-draft.js';
import { claimAnswer, claimOf, newDraft, writeAnswer, type AskSource } from './write-answer.js';
import { canonicalJson } from '../messages/json-value.js';

/** Attempts to claim an answer while other requests claim and discard it. */
const MAX_CLAIMS = 3;
/** Maximum of messages of a page that are read to find the parent of a new one. */
const LAST_IDS = 3;

/** Saves the message once, and streams its answer; a repeated request gets the existing or growing answer. */
export async function answerMessage(context: AnswerContext, ask: AskSource, body: AnswerBody): Promise<Response> {
  const before = body.earlierIds.at(-1) ?? null;
  const { saved, draft: started, path: read } = await saveQuestion(context, body, before);
  const [question] = saved.messages as [MessageData];
  const path = started === null ? pathTo(context, question.id) : Promise.resolve(read);
  const headers = { 'x-parley-message-id': encodeURIComponent(question.id) };
  const id = started?.id ?? (await answerIdOf(question.id));
  let left = started === null ? null : newDraft(started);
  for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
    left ??= await claimAnswer(context, { id, question: question.id, branch: saved.branch.name });
    if (left !== null) return writeAnswer(context, ask, left, path, headers);
    const draft = await draftOf(context, id);
    const isThere = draft === undefined ? await hasMessage(context, id) : await endAbandoned(context, draft);
    if (isThere) return followAnswer(context, { id, length: draft?.length ?? 0 }, headers);
    // Discarded, because it was empty: this request answers.
  }
  throw new ContextError('ALREADY_EXISTS', `The id of the answer, "${id}", is taken`);
}

/** Another answer to a message, as a sibling of the existing ones. */
export async function answerAgain(context: AnswerContext, ask: AskSource, body: AnswerBody): Promise<Response> {
  const { store, chatId } = context;
  const question = await answeredId(context, body);
  for (const draft of await store.listDrafts(chatId)) {
    if (draft.parentId !== question) continue;
    const left = await orNull(readDraft(store, chatId, draft.id));
    if (left !== null && (left.parts.isWaiting || draft.state === 'ABANDONED')) await endDraft(context, left);
  }
  const path = pathTo(context, question);
  const left = await claimAnswer(context, { id: crypto.randomUUID(), question, branch: body.branch });
  if (left === null) throw new ContextError('ALREADY_EXISTS', 'The id of the answer is taken');
  return writeAnswer(context, ask, left, path);
}

/** The parent of the message to answer again, which may be an answer, too; by default the last message of the user. */
async function answeredId(context: AnswerContext, { againId, last }: AnswerBody): Promise<string> {
  const again = againId === undefined || againId === last.id ? null : await context.store.getMessage(againId);
  if (again?.chatId === context.chatId && again.name !== 'user' && again.parentId !== null) return again.parentId;
  const question = await findVersion(context, last);
  if (question === null) throw messageNotFound(last.id);
  return question.id;
}

async function hasMessage({ store, chatId }: AnswerContext, id: string): Promise<boolean> {
  return (await store.getMessage(id))?.chatId === chatId;
}

/**
 * Saves the last message after the one before it, and starts its answer; a missing chat is created, and an open draft before it is
 * ended first.
 */
async function saveQuestion(context: AnswerContext, body: AnswerBody, before: string | null): Promise<StartedAnswer> {
  const saved = await orNull(saveAfter(context, body, before));
  if (saved !== null) return saved;
  const draft = before === null ? undefined : await draftOf(context, before);
  const place = draft === undefined ? lastKnown(context, body.earlierIds) : endForNext(context, draft);
  return saveAfter(context, body, await place);
}

async function saveAfter(
  { store, chatId, userId, options }: AnswerContext,
  { last, branch, onConflict }: AnswerBody,
  expectedHeadId: string | null,
): Promise<StartedAnswer> {
  const message = toQuestion(last);
  const place = { expectedHeadId, onConflict, ...(expectedHeadId === null && { createChat: { userId } }) };
  if (branch === undefined) {
    const draft = { ...claimOf(options), id: await answerIdOf(last.id) };
    return store.saveAndStartDraft(chatId, { message, place, draft });
  }
  return { saved: await store.saveMessages(chatId, [message], { ...place, branch }), draft: null, path: [] };
}

/** The messages from the root to one. Errors without a waiting caller are ignored. */
function pathTo({ store }: AnswerContext, id: string): Promise<MessageData[]> {
  const path = store.getMessageChain(id);
  path.catch(() => {});
  return path;
}

/** The newest saved message of a page: answers that were stopped before their first word are not saved. */
async function lastKnown(context: AnswerContext, ids: readonly string[]): Promise<string | null> {
  const { store, chatId } = context;
  for (const id of ids.slice(-LAST_IDS).reverse()) if (await hasMessage(context, id)) return id;
  return (await store.getActiveBranch(chatId)).headMessageId;
}

function toQuestion(message: UIMessage): NewMessageData & { id: string } {
  const { id, role, parts, metadata } = message;
  const data = { id, role, parts, ...(metadata != null && { metadata }) };
  const text = textOf(data, id, role);
  return { id, name: role, content: text === null ? { data } : { text } };
}

/** The namespace of the ids of first answers; any fixed UUID. */
const NAMESPACE = '6f3f0b54-8f0c-5c1e-9d0b-0d8f6f1f7a11';

/** The id of the first answer to a question, a UUID of version 5: repeated requests, in any process, share one draft. */
async function answerIdOf(questionId: string): Promise<string> {
  const named = new TextEncoder().encode(questionId);
  const bytes = new Uint8Array([...namespaceBytes(), ...named]);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', bytes)).slice(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function namespaceBytes(): number[] {
  return Array.from(NAMESPACE.replaceAll('-', '').matchAll(/../g), ([pair]) => Number.parseInt(pair, 16));
}

/**
 * The question that a page shows: a page that has edited it may know it by the id of the original.
 * @returns null when the chat has no message of this id
 */
async function findVersion({ store, chatId }: AnswerContext, shown: UIMessage): Promise<MessageData | null> {
  const original = await store.getMessage(shown.id);
  if (original?.chatId !== chatId) return null;
  if (isShown(original, shown)) return original;
  const { nodes } = await store.getGraph(chatId);
  const versions = nodes.filter(({ parentId, role, id }) => {
    return parentId === original.parentId && role === original.name && id !== original.id;
  });
  for (const { id } of versions.reverse()) {
    const version = await store.getMessage(id);
    if (version !== null && isShown(version, shown)) return version;
  }
  return original;
}

function isShown({ data }: MessageData, shown: UIMessage): boolean {
  return isUIMessage(data) && canonicalJson(data.parts) === canonicalJson(shown.parts);
}
