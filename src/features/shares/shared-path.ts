/**
 * The path that a share shows. Messages are left out when they are hidden; their depths are stored with the share,
 * so that a page needs no count of the messages before it.
 */
import { hash } from 'node:crypto';
import type { Message } from '../../conversation/model.js';
import { pageWindow, sliceOf, type PageRequest, type Slice } from '../../conversation/paging.js';
import type { PathKey } from '../../conversation/reads.js';
import { rfc8785 } from '../../conversation/text/canonical-json.js';
import { messageText } from '../../conversation/text/message-text.js';
import { projectedData } from './projection.js';
import type { SharedEnd } from './share-records.js';

/** A message as a share shows it. */
export interface SharedMessage {
  readonly name: string;
  readonly type: string;
  readonly data: unknown;
  readonly createdAt: number;
  /** Its place in the shared path, from 0. */
  readonly depth: number;
  /** Characters of the saved data, which are at least those of the shown data. */
  readonly savedLength: number;
}

/** Parses the data of a message, in turns with other work. */
export type ParseData = (message: Message) => unknown;

export interface PathReader {
  readPage: ReadPathPage;
  parse: ParseData;
}

export type ReadPathPage = (path: PathKey, page: PageRequest<number>) => Promise<Slice<Message>>;

/** Neighboring hidden messages: the depths of the first and of the last. */
export type Run = [first: number, last: number];

/** The number of messages that a share shows. */
export function sharedCount(share: Pick<SharedEnd, 'hiddenDepths' | 'depth'>): number {
  return share.depth + 1 - hiddenCount(hiddenRuns(share));
}

export function hiddenCount(runs: readonly Run[]): number {
  return runs.reduce((count, [first, last]) => count + last - first + 1, 0);
}

/** A page of a share; positions are places in the shared path. The cost does not grow with the length of the path. */
export async function sharedPage(
  share: SharedEnd,
  page: PageRequest<number>,
  { readPage, parse }: PathReader,
): Promise<Slice<SharedMessage>> {
  const totalCount = sharedCount(share);
  const window = pageWindow(page, totalCount);
  const { start, end } = window;
  if (start === end) return sliceOf([], window, totalCount);
  const hidden = hiddenRuns(share);
  const path = { chatId: share.chatId, headMessageId: share.messageId, messageCount: share.depth + 1 };
  const first = depthAt(hidden, start);
  const range = { after: first === 0 ? null : first - 1, before: depthAt(hidden, end - 1) + 1 };
  const { rows } = await readPage(path, { first: null, last: null, ...range });
  const shown: SharedMessage[] = [];
  for (const message of rows) {
    if (hidden.some(([from, to]) => from <= message.depth && message.depth <= to)) continue;
    const { name, type, createdAt } = message;
    const data = projectedData(await parseShown(message, parse), share);
    shown.push({ name, type, createdAt, data, depth: start + shown.length, savedLength: message.data.length });
  }
  return sliceOf(shown, window, totalCount);
}

/** A share shows nothing of an array, whose values can use many times its bytes. */
export function parseShown(message: Message, parse: ParseData): unknown {
  return message.data.startsWith('[') ? [] : parse(message);
}

/** The plain text of the shown data. */
export const sharedText = ({ data }: SharedMessage): string => messageText(data);

/** The message at a place of a share, as stored; null beyond its end. */
export async function messageAtPlace(share: SharedEnd, place: number, readPage: ReadPathPage): Promise<Message | null> {
  if (place >= sharedCount(share)) return null;
  const depth = depthAt(hiddenRuns(share), place);
  const path = { chatId: share.chatId, headMessageId: share.messageId, messageCount: share.depth + 1 };
  const range = { after: depth === 0 ? null : depth - 1, before: depth + 1 };
  return (await readPage(path, { first: null, last: null, ...range })).rows[0] ?? null;
}

/** SHA-256 in hex: see docs/access/shares.md. */
export function linkOf({ name, type, createdAt }: Message, data: unknown, parent: string | null): string {
  return hash('sha256', rfc8785({ createdAt: new Date(createdAt).toISOString(), data, name, parent, type }));
}

/** The depth of the nth message that is not hidden. */
function depthAt(hidden: readonly Run[], place: number): number {
  let depth = place;
  for (const [first, last] of hidden) if (first <= depth) depth += last - first + 1;
  return depth;
}

function hiddenRuns({ hiddenDepths }: Pick<SharedEnd, 'hiddenDepths'>): Run[] {
  return hiddenDepths === null ? [] : (JSON.parse(hiddenDepths) as Run[]);
}
