import type { Row } from '../tables.js';

export type HoldScope = 'CHAT' | 'USER';

export interface LegalHold extends Row<'legal_holds'> {
  readonly scope: HoldScope;
}

/** The chat or user that a hold is on. */
export type HoldTarget = Pick<LegalHold, 'scope' | 'targetId'>;

/** A chat with its owner, or, without a chat, a user. */
export interface Holdable {
  readonly chatId: string | null;
  readonly userId: string;
}
