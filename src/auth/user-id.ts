import { nameFault } from '../conversation/bounds.js';
import { ERASED_USER } from '../conversation/ownership.js';

/** What keeps a value from being the id of somebody who asks; null when nothing does. */
export function userIdFault(value: unknown): string | null {
  return value === ERASED_USER
    ? `must not be "${ERASED_USER}", which stands for users who were erased`
    : nameFault(value);
}
