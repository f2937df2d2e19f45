/** Fragments of a system prompt that each model call computes or awaits. */
import { invalid } from '../errors.js';
import { isFragment, isMessageFragment, type ContextFragment } from './fragment.js';
import { checkFragment } from './fragment-tree.js';

/** A promise of a fragment, or a function that each model call runs again. Not for messages. */
export type ComputedFragment = Promise<ContextFragment> | (() => ContextFragment | Promise<ContextFragment>);

export function isComputed(source: ContextFragment | ComputedFragment): source is ComputedFragment {
  return typeof source === 'function' || source instanceof Promise;
}

export function isPlainMessage(source: ContextFragment | ComputedFragment): source is ContextFragment {
  return !isComputed(source) && isMessageFragment(source);
}

/**
 * The fragments of one call, in order.
 * @throws ContextError when a computed value is no fragment, or a message; errors of functions and promises pass unchanged
 */
export function computeFragments(
  sources: readonly (ContextFragment | ComputedFragment)[],
): Promise<readonly ContextFragment[]> {
  return Promise.all(
    sources.map(async (source, index) => {
      if (!isComputed(source)) return source;
      const computed = await (typeof source === 'function' ? source() : source);
      if (isFragment(computed) && isMessageFragment(computed)) {
        throw invalid(`Fragment ${index} is computed, and must not be a message`, String(index));
      }
      checkFragment(computed, String(index));
      return computed;
    }),
  );
}
