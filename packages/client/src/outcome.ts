/** The results of operations that never throw. */
import { asParleyError, type ParleyError } from '@parley/transport/errors';

export type Outcome<Value = void> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ParleyError };

/** The result or the error of `run`. */
export async function outcomeOf<Value>(run: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await run() };
  } catch (reason) {
    return { ok: false, error: asParleyError(reason) };
  }
}
