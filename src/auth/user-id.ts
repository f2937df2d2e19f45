import { nameFault } from '../conversation/bounds.js';
import { ERASED_USER } from '../conversation/access/ownership.js';

/** The reason that a value is not a valid user id; null when it is valid. */
export function userIdFault(value: unknown): string | null {
  return value === ERASED_USER ? `must not be "${ERASED_USER}", which is reserved for erased users` : nameFault(value);
}
