/** Fragments: named pieces of what a model is told, and of what was said. */
import type { FragmentCodec } from '../messages/codec.js';

export type FragmentType = 'fragment' | 'message';

/** What a fragment holds. null and undefined say nothing: they are left out wherever they stand. */
export type FragmentData =
  string | number | null | undefined | boolean | ContextFragment | FragmentData[] | { [key: string]: FragmentData };

export interface ContextFragment<T extends FragmentData = FragmentData> {
  /** The id of a message; made where none is given. */
  id?: string;
  /** What the piece is: role, user, hint, or any other name. */
  name: string;
  data: T;
  /** A message goes to the conversation, anything else into the system prompt. @default 'fragment' */
  type?: FragmentType;
  /** Whether save() keeps it: messages only. */
  persist?: boolean;
  /** How a message is stored, and what a model gets of it. */
  codec?: FragmentCodec;
  /** For whoever made the fragment; it is neither rendered nor saved. */
  metadata?: Record<string, unknown>;
}

/**
 * A fragment with what is in it: other fragments, texts and values, or one value, such as an object, which is its data
 * then.
 *
 * @example
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
