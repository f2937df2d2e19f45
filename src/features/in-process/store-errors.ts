/** Failures of the rules as errors of the context library. */
import { ContextError, type ContextErrorCode } from '@parley/context';
import {
  AlreadyExistsError,
  DatabaseUnavailableError,
  DeletedError,
  ForbiddenError,
  HeadConflictError,
  InvalidInputError,
  NotFoundError,
  RefusalError,
  TooLargeError,
  UpgradeRequiredError,
} from '../../conversation/errors.js';

/** Runs a call; every error is thrown as a ContextError. */
export async function asContextErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toContextError(error);
  }
}

/** Whether something was there to be changed. */
export async function isFound(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

/** A failure of the rules as an error of the library; any other error as INTERNAL, with the error as cause. */
export function toContextError(error: unknown): ContextError {
  if (error instanceof ContextError) return error;
  if (error instanceof InvalidInputError) return new ContextError(error.code, error.message, error.path);
  if (error instanceof TooLargeError) return new ContextError('INVALID_INPUT', error.message);
  if (error instanceof DeletedError) return new ContextError('NOT_FOUND', error.message);
  if (error instanceof DatabaseUnavailableError || error instanceof UpgradeRequiredError) {
    return new ContextError('UNAVAILABLE', error.message, null, { cause: error });
  }
  const isExpected =
    error instanceof NotFoundError ||
    error instanceof ForbiddenError ||
    error instanceof RefusalError ||
    error instanceof AlreadyExistsError ||
    error instanceof HeadConflictError;
  if (isExpected) return new ContextError(error.code as ContextErrorCode, error.message);
  const reason = error instanceof Error ? error.message : String(error);
  return new ContextError('INTERNAL', `Unexpected error: ${reason}`, null, { cause: error });
}
