/** How something ended that was asked for: it never throws. */
import type { ParleyError } from '@parley/transport/errors';

export type Outcome<Value = void> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: ParleyError };
