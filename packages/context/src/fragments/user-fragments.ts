/** Fragments about the people of a conversation: the model and the user. Omitted fields are not rendered. */
import type { ContextFragment } from './fragment.js';

export interface Persona {
  name: string;
  /** Its profession or skill. */
  role: string;
  /** Its tone. */
  tone?: string | undefined;
}

/** The character of the model. */
export function persona({ name, role, tone }: Persona): ContextFragment {
  return { name: 'persona', data: { name, role, tone } };
}

export interface Identity {
  name?: string | undefined;
  /** The user's profession or function. */
  role?: string | undefined;
}

/** The identity of the user. */
export function identity({ name, role }: Identity): ContextFragment {
  return { name: 'identity', data: { name, role } };
}

/** A preference of the user for results: an aspect, such as date format, and a value. */
export function preference(aspect: string, value: string): ContextFragment {
  return { name: 'preference', data: { aspect, value } };
}

/** The meaning of a word that the user uses. */
export function alias(term: string, meaning: string): ContextFragment {
  return { name: 'alias', data: { term, meaning } };
}

/** A correction by the user, to avoid a repeated mistake. */
export function correction(subject: string, clarification: string): ContextFragment {
  return { name: 'correction', data: { subject, clarification } };
}
