/** Yields a chat of the original as lines of Parley's own format, which are then checked like those of a file. */
import { checkJson, MAX_DATA_BYTES } from '../../../conversation/bounds.js';
import { InvalidInputError } from '../../../conversation/errors.js';
import { isJsonObject } from '../../../conversation/text/merge-patch.js';
import { FIRST_BRANCH } from '../../../conversation/branches/branch-names.js';
import {
  chatTitle,
  futureTimesWarning,
  importedChatId,
  importedMessageId,
  isInFuture,
  makeStorable,
  PARLEY_VERSION,
  UnreadableError,
} from '@parley/interchange/server';
import { historyOf, type Found } from './original-history.js';
import type { OriginalChat, OriginalContent, OriginalDatabase } from './original-database.js';

/** Part of derived ids: it must never change. */
export const ORIGINAL = { name: 'deepagents', label: '@deepagents/context' } as const;

const MESSAGES_PER_STEP = 200;

/**
 * @param warnings collects repairs and values that do not fit
 * @param moved replaces long data URLs in the data of a message
 * @throws UnreadableError
 */
export async function* originalLines(
  db: OriginalDatabase,
  chat: OriginalChat,
  warnings: string[],
  moved: (data: unknown) => Promise<unknown>,
): AsyncGenerator<Record<string, unknown>> {
  const times = new Times();
  const found = await sound(db, chat, times, warnings);
  const { nodes, branches, checkpoints, events } = historyOf(found);
  const { id, userId, title } = chat;
  const shown = title === null ? null : chatTitle(makeStorable(title).value as string);
  if (shown !== title) warnings.push(`its title was changed to a valid one: ${JSON.stringify(title)}`);
  const createdAt = iso(found.createdAt);
  const updatedAt = times.or(chat.updatedAt, found.createdAt);
  if (times.futureCount > 0) warnings.push(futureTimesWarning(times.futureCount));
  const counts = { version: events.length, messages: nodes.length };
  yield {
    parley: PARLEY_VERSION,
    chat: { id, userId, title: shown, createdAt, updatedAt: iso(updatedAt), ...counts, metadata: metadataOf(chat) },
  };
  for (let at = 0; at < nodes.length; at += MESSAGES_PER_STEP) {
    const step = nodes.slice(at, at + MESSAGES_PER_STEP);
    const contents = new Map(
      (
        await db.contents(
          id,
          step.map((node) => node.id),
        )
      ).map((row) => [row.id, row]),
    );
    for (const node of step) {
      const content = contents.get(node.id);
      if (content === undefined) throw new UnreadableError(`message ${JSON.stringify(node.id)} cannot be read`);
      const { name, type } = content;
      const head = { id: node.id, parentId: node.parentId, name, type: type ?? 'message', createdBy: userId };
      yield { message: { ...head, createdAt: iso(node.createdAt), data: await dataOf(content, warnings, moved) } };
    }
  }
  for (const { id: branchId, name, headMessageId: headId, isActive, createdAt: at, seq } of branches) {
    yield { branch: { id: branchId, name, headId, isActive, createdAt: iso(at), seq } };
  }
  for (const { id: checkpointId, name, messageId, createdAt: at, seq } of checkpoints) {
    yield { checkpoint: { id: checkpointId, name, messageId, createdAt: iso(at), seq } };
  }
  for (const [n, { type, createdAt: at, payload }] of events.entries()) {
    yield { event: { seq: n + 1, type, actorId: userId, createdAt: iso(at), payload } };
  }
  yield { end: {} };
}

/** The original accepts parents, heads and checkpoints of other chats, and chats without an active branch. */
async function sound(db: OriginalDatabase, chat: OriginalChat, times: Times, warnings: string[]): Promise<Found> {
  const createdAt = times.or(chat.createdAt, 0);
  const read = await db.nodes(chat.id);
  const ids = new Set(read.map(({ id }) => id));
  const own = (id: string | null, what: string): string | null => {
    if (id === null || ids.has(id)) return id;
    warnings.push(`${what} is in no message of the chat: ${JSON.stringify(id)}`);
    return null;
  };
  const nodes = read.map((node) => ({
    id: node.id,
    parentId: own(node.parentId, `the parent of message ${JSON.stringify(node.id)}`),
    createdAt: times.or(node.createdAt, createdAt),
  }));
  const branches = (await db.branches(chat.id)).map((branch) => ({
    ...branch,
    headMessageId: own(branch.headMessageId, `the head of branch ${JSON.stringify(branch.name)}`),
    createdAt: times.or(branch.createdAt, createdAt),
  }));
  const checkpoints = (await db.checkpoints(chat.id))
    .map((checkpoint) => ({ ...checkpoint, createdAt: times.or(checkpoint.createdAt, createdAt) }))
    .filter(({ name, messageId }) => own(messageId, `the message of checkpoint ${JSON.stringify(name)}`) !== null);
  if (branches.length === 0) {
    const id = importedMessageId(importedChatId(chat.userId, ORIGINAL.name, chat.id), FIRST_BRANCH);
    branches.push({ id, name: FIRST_BRANCH, headMessageId: nodes.at(-1)?.id ?? null, isActive: true, createdAt });
    if (nodes.length > 0) warnings.push('it has no branch: main leads to its newest message');
  }
  const active = branches.filter(({ isActive }) => isActive);
  if (active.length !== 1) {
    const chosen = active[0] ?? branches.find(({ name }) => name === FIRST_BRANCH) ?? branches[0];
    for (const branch of branches) branch.isActive = branch === chosen;
    const fault = active.length === 0 ? 'no branch of it is active' : 'more than one branch of it is active';
    warnings.push(`${fault}: ${JSON.stringify(chosen?.name)} is now`);
  }
  return { createdAt, nodes, branches, checkpoints };
}

function metadataOf({ metadata }: OriginalChat): unknown {
  const value = metadata === null ? {} : parsed(metadata, 'the metadata of the chat');
  return value === null ? {} : isJsonObject(value) ? makeStorable(value).value : { value };
}

/** The data of a message; a placeholder with the reason for data that is too large. */
async function dataOf(
  { id, data }: OriginalContent,
  warnings: string[],
  moved: (data: unknown) => Promise<unknown>,
): Promise<unknown> {
  const { value: found, changed } = makeStorable(parsed(data, `the data of message ${JSON.stringify(id)}`));
  const value = await moved(found);
  const which = `message ${JSON.stringify(id)}`;
  if (changed > 0) warnings.push(`${which} had characters that cannot be stored; U+FFFD replaces them`);
  try {
    if (value === null) throw new InvalidInputError('it must not be null', 'it');
    checkJson(value, 'it', MAX_DATA_BYTES);
    return value;
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const reason = error.message.replace(/^it must/, 'a message must');
    warnings.push(`${which} was replaced by a placeholder: ${reason}`);
    const role = isJsonObject(value) && typeof value['role'] === 'string' ? value['role'] : 'assistant';
    const text = `[Left out when this conversation was imported: ${reason}]`;
    return { id, role, parts: [{ type: 'text', text }], metadata: { source: ORIGINAL.name, leftOut: reason } };
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableError(`${what} is no JSON`);
  }
}

/** Replaces times that cannot be stored, and counts those in the future. */
class Times {
  futureCount = 0;

  or(time: number, otherwise: number): number {
    if (!Number.isInteger(time) || time < 0) return otherwise;
    if (!isInFuture(time)) return time;
    this.futureCount++;
    return otherwise;
  }
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
