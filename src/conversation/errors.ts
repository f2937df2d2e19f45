/** The expected failures. Whoever throws one has written nothing. */
import type { Branch } from './model.js';

/** What the rules refuse. */
export class RuleError extends Error {}

export class InvalidInputError extends RuleError {
  readonly code = 'INVALID_INPUT';
  constructor(
    message: string,
    /** The path of the input field at fault, such as messages.0.content; null when no single field is. */
    readonly path: string | null,
  ) {
    super(message);
  }
}

export class NotFoundError extends RuleError {
  readonly code = 'NOT_FOUND';

  static chat(id: string): NotFoundError {
    return new NotFoundError(`Chat "${id}" not found`);
  }
  static message(id: string): NotFoundError {
    return new NotFoundError(`Message "${id}" not found`);
  }
  static branch(name: string, chatId: string): NotFoundError {
    return new NotFoundError(`Branch "${name}" not found in chat "${chatId}"`);
  }
  static checkpoint(name: string, chatId: string): NotFoundError {
    return new NotFoundError(`Checkpoint "${name}" not found in chat "${chatId}"`);
  }
}

/** Something was deleted by somebody else while it was being read. */
export class GoneError extends RuleError {
  readonly code = 'GONE';
  constructor(what: string) {
    super(`${what} was deleted while it was being read`);
  }
}

/** Stored rows contradict each other. Clients get an internal error; the log has the message, which names the row. */
export class DamagedDataError extends Error {}

/** The database cannot be reached; whether a change that was under way has been made is not known. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** A newer version has migrated the database so that this one cannot write to it; nothing was written. */
export class UpgradeRequiredError extends Error {
  readonly code = 'UPGRADE_REQUIRED';
  constructor(migration: string) {
    super(`The database has the migration "${migration}" of a newer version: upgrade this server, or retry on another`);
  }
}

/** An operation asks for more than it can have, whichever of its fields has noticed. */
abstract class RefusedError extends Error {
  /** Of no field: the executor would wrap an error without a path for each of thousands of fields that meet it. */
  readonly path = [];
}

/** It took too long, and was given up. */
export class TimeoutError extends RefusedError {
  readonly code = 'TIMEOUT';
}

/** It would read or return more than one operation may. */
export class TooLargeError extends RefusedError {
  readonly code = 'TOO_LARGE';
}

/** Others have so much under way that there is no room for this. */
export class OverloadedError extends RefusedError {
  readonly code = 'OVERLOADED';
}

/** Whoever follows something is farther behind than is kept for them. */
export class TooSlowError extends Error {
  readonly code = 'TOO_SLOW';
}

/** Another import has the lease of the chat. */
export class ImportUnderWayError extends RuleError {
  constructor(chatId: string) {
    super(`another import is writing chat "${chatId}"; run this one again when that one has ended`);
  }
}

/** The chat of an import was changed or removed between two of its transactions. */
export class ChangedMeanwhileError extends RuleError {
  constructor(chatId: string) {
    super(`chat "${chatId}" was changed or removed during the import; run the import again`);
  }
}

export class AlreadyExistsError extends RuleError {
  readonly code = 'ALREADY_EXISTS';
}

/** The branch's head is not the one that the client last saw. */
export class HeadConflictError extends RuleError {
  readonly code = 'HEAD_CONFLICT';
  constructor(
    /** The branch as it is now. */
    readonly branch: Branch,
    readonly expectedHeadId: string | null,
    /** How many messages the branch has after the expected head; 0 when it does not run through it any more. */
    readonly newerCount: number,
  ) {
    super(
      `The head of branch "${branch.name}" is ${describeHead(branch.headMessageId)}, not ${describeHead(expectedHeadId)}`,
    );
  }
}

function describeHead(id: string | null): string {
  return id === null ? 'empty' : `message "${id}"`;
}
