/** Fragments: named parts of a system prompt, and messages. */
import type { FragmentCodec } from '../codec.js';

export type FragmentType = 'fragment' | 'message';

/** The data of a fragment. null and undefined are omitted at any position. */
export type FragmentData =
  | string
  | number
  | null
  | undefined
  | boolean
  | ContextFragment
  | FragmentData[]
  | { [key: string]: FragmentData };

export interface ContextFragment<T extends FragmentData = FragmentData> {
  /** The id of a message; generated if missing. */
  id?: string;
  /** The name: role, user, hint, or any other. */
  name: string;
  data: T;
  /**
   * A message belongs to the conversation, any other fragment to the system prompt.
   * @default 'fragment'
   */
  type?: FragmentType;
  /** Whether save() stores it; only messages are stored. */
  persist?: boolean;
  /** Converts a message for the store and for a model. */
  codec?: FragmentCodec;
  /** For your own use; it is neither rendered nor saved. */
  metadata?: Record<string, unknown>;
}

/**
 * A fragment with children: other fragments, texts and values. A single value, such as an object, is its data. @example
 * fragment('database', hint('PostgreSQL 18'), fragment('constraints', hint('No DELETE without audit')))
 */
export function fragment(name: string, ...children: FragmentData[]): ContextFragment {
  const [only] = children;
  return { name, data: children.length === 1 && !isFragment(only) ? only : children };
}

/** Whether a value is a fragment: it has a name and data. */
export function isFragment(data: unknown): data is ContextFragment {
  return typeof data === 'object' && data !== null && 'name' in data && 'data' in data && typeof data.name === 'string';
}

/** Whether a value is a plain object of fragment data: not an array, a fragment or a text. */
export function isFragmentObject(data: unknown): data is { [key: string]: FragmentData } {
  return typeof data === 'object' && data !== null && !Array.isArray(data) && !isFragment(data);
}

/** Whether a fragment is a message of the conversation. */
export function isMessageFragment(fragment: ContextFragment): boolean {
  return fragment.type === 'message';
}
