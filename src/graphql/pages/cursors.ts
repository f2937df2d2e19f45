/**
 * Cursors are opaque to clients and contain the kind of list and a position, so that a cursor fits only its kind. Where
 * lists of one kind could be confused, the position names a message, or the cursor names the owner of the list.
 */
import type { ChatPosition, HitPosition } from '../../conversation/reads.js';
import { isPossibleId, MAX_INT } from '../../conversation/bounds.js';
import { badUserInput } from '../bad-user-input.js';

export interface NumberedList {
  /** Distinct for each list of the schema. */
  kind: string;
  /** The id of the chat or message with this list. */
  of: string;
}

export function encodeCursor({ kind, of }: NumberedList, position: number): string {
  return writeCursor(kind, `${position}:${of}`);
}

/** The position of a cursor of this list. `argument` names it in errors. */
export function decodeCursor({ kind, of }: NumberedList, cursor: string, argument: string): number {
  const [, position, owner] = /^(0|[1-9][0-9]{0,14}):(.+)$/su.exec(readCursor(kind, cursor, argument)) ?? [];
  if (owner === undefined) throw wrongCursor(argument);
  if (owner !== of) throw cursorElsewhere(argument);
  return Number(position);
}

/** Position of a message on any path that contains it. */
export function encodePathCursor(messageId: string): string {
  return writeCursor('on-path', messageId);
}

export function decodePathCursor(cursor: string, argument: string): string {
  return decodeId('on-path', cursor, argument);
}

export function encodeChatCursor({ updatedAt, id }: ChatPosition): string {
  return writeCursor('chat', `${updatedAt}:${id}`);
}

export function decodeChatCursor(cursor: string, argument: string): ChatPosition {
  const { time, id } = decodeTimed('chat', cursor, argument);
  return { updatedAt: time, id };
}

export function decodeId(kind: string, cursor: string, argument: string): string {
  const id = readCursor(kind, cursor, argument);
  if (!isPossibleId(id)) throw wrongCursor(argument);
  return id;
}

export function decodeTimed(kind: string, cursor: string, argument: string): { time: number; id: string } {
  const match = /^(0|-?[1-9][0-9]{0,15}):(.+)$/su.exec(readCursor(kind, cursor, argument));
  const [, time, id] = match ?? [];
  if (id === undefined || !isPossibleId(id)) throw wrongCursor(argument);
  return { time: Number(time), id };
}

export function encodeHitCursor({ score, createdAt, seq, chatId }: HitPosition): string {
  return writeCursor('hit', `${score}:${createdAt}:${seq}:${chatId}`);
}

export function decodeHitCursor(cursor: string, argument: string): HitPosition {
  const match = /^([0-9]{1,15}):(0|-?[1-9][0-9]{0,15}):([1-9][0-9]{0,9}):(.+)$/su.exec(
    readCursor('hit', cursor, argument),
  );
  const [, score, createdAt, seq, chatId] = match ?? [];
  if (chatId === undefined || !isPossibleId(chatId) || Number(seq) > MAX_INT) throw wrongCursor(argument);
  return { score: Number(score), createdAt: Number(createdAt), seq: Number(seq), chatId };
}

/** For lists of features, whose kinds are their own. */
export function writeCursor(kind: string, position: string): string {
  return Buffer.from(`${kind}:${position}`).toString('base64url');
}

/** @throws GraphQLError for a cursor of another kind of list */
export function readCursor(kind: string, cursor: string, argument: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  // Encoded again it must be equal: base64url ignores unknown characters.
  const isOurs = text.startsWith(`${kind}:`) && Buffer.from(text).toString('base64url') === cursor;
  if (!isOurs) throw wrongCursor(argument);
  return text.slice(kind.length + 1);
}

export function wrongCursor(argument: string) {
  return badUserInput(`${argument} is not a cursor of this list`);
}

/** The error of a cursor that belongs to another list of the same kind. */
export function cursorElsewhere(argument: string) {
  return badUserInput(`${argument} is a cursor of another list of this kind`, 'CURSOR_ELSEWHERE');
}
