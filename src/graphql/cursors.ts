/** Cursors: opaque to clients; inside, the kind of list and a position in it, so that a cursor fits its own kind only. */
import type { ChatPosition, HitPosition } from '../conversation/reads.js';
import { isPossibleId } from '../conversation/bounds.js';
import { badUserInput } from './bad-user-input.js';

export type ListKind = 'chat' | 'child' | 'path' | 'branch' | 'checkpoint' | 'event' | 'hit';

export function encodeCursor(kind: ListKind, position: number | string): string {
  return Buffer.from(`${kind}:${position}`).toString('base64url');
}

/** The position of a cursor of lists with numbered positions. `argument` names it in errors. */
export function decodeCursor(kind: ListKind, cursor: string, argument: string): number {
  const position = readCursor(kind, cursor, argument);
  if (!/^(0|[1-9][0-9]{0,14})$/.test(position)) throw wrongCursor(argument);
  return Number(position);
}

export function encodeChatCursor({ updatedAt, id }: ChatPosition): string {
  return encodeCursor('chat', `${updatedAt}:${id}`);
}

export function decodeChatCursor(cursor: string, argument: string): ChatPosition {
  const match = /^(0|-?[1-9][0-9]{0,15}):(.+)$/su.exec(readCursor('chat', cursor, argument));
  const [, updatedAt, id] = match ?? [];
  if (id === undefined || !isPossibleId(id)) throw wrongCursor(argument);
  return { updatedAt: Number(updatedAt), id };
}

export function encodeHitCursor({ score, createdAt, seq, chatId }: HitPosition): string {
  return encodeCursor('hit', `${score}:${createdAt}:${seq}:${chatId}`);
}

export function decodeHitCursor(cursor: string, argument: string): HitPosition {
  const match = /^([0-9]{1,15}):(0|-?[1-9][0-9]{0,15}):([1-9][0-9]{0,9}):(.+)$/su.exec(
    readCursor('hit', cursor, argument),
  );
  const [, score, createdAt, seq, chatId] = match ?? [];
  if (chatId === undefined || !isPossibleId(chatId) || Number(seq) > MAX_SEQ) throw wrongCursor(argument);
  return { score: Number(score), createdAt: Number(createdAt), seq: Number(seq), chatId };
}

/** The largest 32-bit integer. */
const MAX_SEQ = 2 ** 31 - 1;

function readCursor(kind: ListKind, cursor: string, argument: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  // Written again it must be the same: base64url reads past whatever it does not know.
  const isOurs = text.startsWith(`${kind}:`) && Buffer.from(text).toString('base64url') === cursor;
  if (!isOurs) throw wrongCursor(argument);
  return text.slice(kind.length + 1);
}

function wrongCursor(argument: string) {
  return badUserInput(`${argument} is not a cursor of this list`);
}
