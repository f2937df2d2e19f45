import { RefusalError } from '../../conversation/errors.js';
import type { Row } from '../../conversation/tables.js';

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

/** A legal hold refuses the operation. */
export class LegalHoldError extends RefusalError {
  readonly code = 'LEGAL_HOLD';
  readonly status = 409;

  static chat(id: string): LegalHoldError {
    return new LegalHoldError(
      `Chat "${id}" is under a legal hold and cannot be deleted: an admin must lift the hold first`,
    );
  }
  static transfer(id: string): LegalHoldError {
    return new LegalHoldError(
      `The owner of chat "${id}" is under a legal hold, so that it cannot be transferred: an admin must lift the hold first`,
    );
  }
  static user(id: string): LegalHoldError {
    return new LegalHoldError(
      `User "${id}" is under a legal hold and cannot be erased: an admin must lift the hold first`,
    );
  }
  static erasure(userId: string, chatId: string): LegalHoldError {
    return new LegalHoldError(
      `User "${userId}" cannot be erased, because chat "${chatId}" is under a legal hold: an admin must lift the hold first`,
    );
  }
}
