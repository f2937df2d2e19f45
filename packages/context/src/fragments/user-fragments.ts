/** What a model has to know of the people in a conversation: itself, and the user. Fields that are left out say nothing. */
import type { ContextFragment } from './fragment.js';

export interface Persona {
  name: string;
  /** What it is good at. */
  role: string;
  /** How it speaks. */
  tone?: string | undefined;
}

/** As whom the model speaks. */
export function persona({ name, role, tone }: Persona): ContextFragment {
  return { name: 'persona', data: { name, role, tone } };
}

export interface Identity {
  name?: string | undefined;
  /** What the user does, and so how they look at things. */
  role?: string | undefined;
}

/** Who the user is. */
export function identity({ name, role }: Identity): ContextFragment {
  return { name: 'identity', data: { name, role } };
}

/** How the user wants results: an aspect, such as date format, and what they prefer. */
export function preference(aspect: string, value: string): ContextFragment {
  return { name: 'preference', data: { aspect, value } };
}

/** What the user means by a word of their own. */
export function alias(term: string, meaning: string): ContextFragment {
  return { name: 'alias', data: { term, meaning } };
}

/** What the user has put right, so that it is not got wrong again. */
export function correction(subject: string, clarification: string): ContextFragment {
  return { name: 'correction', data: { subject, clarification } };
}
