/** Refuses removals, transfers and erasures under a legal hold. Holds apply without settings. */
import { raw } from 'sql-template-tag';
import type { ChangeHooks } from '../../database/change-hooks.js';
import type { Connection } from '../../database/opening/connection.js';
import { LegalHolds } from './legal-holds.js';
import { isHeld } from './statements.js';

export function holdGuard(connection: Connection, holds = new LegalHolds(connection)): ChangeHooks {
  return {
    isKept: isHeld(connection.sql.differences, raw('i."chatId"'), raw('i."userId"')),
    mayRemove: (chat, tx) => holds.refuseRemoval(chat, tx),
    mayErase: (userId, tx) => (tx === null ? holds.refuseErasure(userId) : holds.refuseHeldUser(userId, tx)),
    check: ({ newOwnerId }, before, tx) => (newOwnerId === null ? undefined : holds.refuseTransfer(before, tx)),
  };
}
