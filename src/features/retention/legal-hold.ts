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
  constructor(refusal: string) {
    super(`${refusal}: an admin must lift the hold first`);
  }
}
