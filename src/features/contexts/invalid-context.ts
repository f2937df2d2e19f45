import { ContextError } from '@parley/context';
import { InvalidInputError } from '../../conversation/errors.js';

/** The error of the library as an error of a field. */
export function asInvalidInput(error: unknown): unknown {
  return error instanceof ContextError ? new InvalidInputError(error.message, error.path) : error;
}
