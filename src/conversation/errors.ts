/** The expected failures. A rule that throws one has written nothing. */
import type { Branch, ChatRole } from './model.js';

/** A request that violates a rule. */
export class RuleError extends Error {}

/** A feature refuses the request. */
export abstract class RefusalError extends RuleError {
  abstract readonly code: string;
  /** The HTTP status of routes besides GraphQL. */
  abstract readonly status: number;
}

/** An invalid field of an input. */
export interface InputProblem {
  /** Such as messages.0.content; null when no single field is at fault. */
  readonly path: string | null;
  readonly message: string;
}

export class InvalidInputError extends RuleError implements InputProblem {
  readonly code = 'INVALID_INPUT';
  /** @param others further problems of the input */
  constructor(
    message: string,
    readonly path: string | null,
    private readonly others: readonly InputProblem[] = [],
  ) {
    super(message);
  }

  /** All problems, of which the error itself is the first. */
  get problems(): readonly InputProblem[] {
    const { path, message, others } = this;
    return [{ path, message }, ...others];
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

/** The role of a member does not allow the operation. Users without a role receive NotFoundError. */
export class ForbiddenError extends RuleError {
  readonly code = 'FORBIDDEN';
  constructor(readonly requiredRole: ChatRole) {
    super(`The operation requires the role ${requiredRole} in the chat`);
  }
}

/** Data was deleted while it was being read. */
export class DeletedError extends RuleError {
  readonly code = 'GONE';
  constructor(what: string) {
    super(`${what} was deleted while it was being read`);
  }
}

/** Stored rows contradict each other. Clients get an internal error; the log gets the message, which names the row. */
export class DamagedDataError extends Error {}

/** The database is unreachable; whether a change in progress was committed is unknown. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** A newer version has migrated the database, so this one cannot write to it; nothing was written. */
export class UpgradeRequiredError extends Error {
  readonly code = 'UPGRADE_REQUIRED';
  constructor(migration: string) {
    super(`The database has the migration "${migration}" of a newer version: upgrade this server, or retry on another`);
  }
}

/** An operation exceeded a limit, in any of its fields. */
abstract class RefusedError extends Error {
  /** Without a path: the executor would wrap an error without one for each of thousands of fields. */
  readonly path = [];
}

/** The operation exceeded its time limit and was cancelled. */
export class TimeoutError extends RefusedError {
  readonly code = 'TIMEOUT';
}

/** The operation would read or return more than its limit. */
export class TooLargeError extends RefusedError {
  readonly code = 'TOO_LARGE';
}

/** Other operations use the whole capacity. */
export class OverloadedError extends RefusedError {
  readonly code = 'OVERLOADED';
}

/** The subscriber fell behind the retained events. */
export class TooSlowError extends Error {
  readonly code = 'TOO_SLOW';
}

/** Another import holds the lease of the chat. */
export class ImportUnderWayError extends RuleError {
  constructor(chatId: string) {
    super(`another import is writing chat "${chatId}"; run this one again when that one has ended`);
  }
}

/** The chat of an import was changed or deleted between two of its transactions. */
export class ChangedMeanwhileError extends RuleError {
  constructor(chatId: string) {
    super(`chat "${chatId}" was changed or removed during the import; run the import again`);
  }
}

export class AlreadyExistsError extends RuleError {
  readonly code = 'ALREADY_EXISTS';
}

/** The branch's head is not the one that the client expects. */
export class HeadConflictError extends RuleError {
  readonly code = 'HEAD_CONFLICT';
  constructor(
    /** The present state of the branch. */
    readonly branch: Branch,
    readonly expectedHeadId: string | null,
    /** The number of messages after the expected head; 0 when it is no longer on the branch. */
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
