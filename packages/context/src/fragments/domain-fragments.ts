/** What a model has to know of a domain: one function for each kind of knowledge. Fields that are left out say nothing. */
import type { ContextFragment } from './fragment.js';

/** Who the model is, and what it is for. Most system prompts begin with it. */
export function role(content: string): ContextFragment<string> {
  return { name: 'role', data: content };
}

/** A rule of behaviour that always holds. */
export function hint(text: string): ContextFragment<string> {
  return { name: 'hint', data: text };
}

/** A word of the domain, and what it means. */
export function term(name: string, definition: string): ContextFragment {
  return { name: 'term', data: { name, definition } };
}

/** Words of the domain, each with the expression that computes it, such as revenue: 'SUM(orders.total)'. */
export function glossary(entries: Readonly<Record<string, string>>): ContextFragment {
  return { name: 'glossary', data: Object.entries(entries).map(([term, expression]) => ({ term, expression })) };
}

export interface Guardrail {
  /** What must never, or must always, be done. */
  rule: string;
  /** Why. */
  reason?: string | undefined;
  /** What to do when somebody asks for it. */
  action?: string | undefined;
}

/** A boundary that must not be crossed. */
export function guardrail({ rule, reason, action }: Guardrail): ContextFragment {
  return { name: 'guardrail', data: { rule, reason, action } };
}

export interface Policy {
  /** What must hold. */
  rule: string;
  /** Before what it must be checked. */
  before?: string | undefined;
  /** Why. */
  reason?: string | undefined;
  /** Finer rules within this one. */
  policies?: readonly ContextFragment[] | undefined;
}

/** A rule of procedure: what must have happened, or must hold, before something is done. */
export function policy({ rule, before, reason, policies }: Policy): ContextFragment {
  return { name: 'policy', data: { rule, before, reason, policies: policies && [...policies] } };
}

export interface Principle {
  title: string;
  /** What it means for what the model does. */
  description: string;
  /** The rules that follow from it. */
  policies?: readonly ContextFragment[] | undefined;
}

/** A way of thinking from which rules follow. */
export function principle({ title, description, policies }: Principle): ContextFragment {
  return { name: 'principle', data: { title, description, policies: policies && [...policies] } };
}

export interface Explanation {
  concept: string;
  /** In other words, or in a picture. */
  explanation: string;
  /** What to do with that understanding. */
  therefore?: string | undefined;
}

/** A concept that a definition alone does not make clear. */
export function explain({ concept, explanation, therefore }: Explanation): ContextFragment {
  return { name: 'explain', data: { concept, explanation, therefore } };
}

export interface Analogy {
  /** What is compared. */
  concepts: readonly string[];
  /** How they relate, in a picture from elsewhere. */
  relationship: string;
  /** What the picture shows. */
  insight?: string | undefined;
  /** What to do with it. */
  therefore?: string | undefined;
  /** Where the picture misleads. */
  pitfall?: string | undefined;
}

/** How concepts relate, told through something that everybody knows. */
export function analogy({ concepts, ...rest }: Analogy): ContextFragment {
  const { relationship, insight, therefore, pitfall } = rest;
  return { name: 'analogy', data: { concepts: [...concepts], relationship, insight, therefore, pitfall } };
}

export interface Example {
  question: string;
  /** The answer that is wanted. */
  answer: string;
  note?: string | undefined;
}

/** A question with its answer, to learn from. */
export function example({ question, answer, note }: Example): ContextFragment {
  return { name: 'example', data: { question, answer, note } };
}

export interface Clarification {
  /** What is unclear. */
  when: string;
  /** The question to ask then. */
  ask: string;
  /** Why one has to ask. */
  reason?: string | undefined;
}

/** When to ask instead of guessing. */
export function clarification({ when, ask, reason }: Clarification): ContextFragment {
  return { name: 'clarification', data: { when, ask, reason } };
}

export interface Workflow {
  task: string;
  /** In their order. */
  steps: readonly string[];
  /** Words that call for it. */
  triggers?: readonly string[] | undefined;
  notes?: string | undefined;
}

/** How to do something that takes several steps. */
export function workflow({ task, steps, triggers, notes }: Workflow): ContextFragment {
  return { name: 'workflow', data: { task, steps: [...steps], triggers: triggers && [...triggers], notes } };
}

export interface Quirk {
  /** What is odd. */
  issue: string;
  /** How to live with it. */
  workaround: string;
}

/** Something that is not as one would expect. */
export function quirk({ issue, workaround }: Quirk): ContextFragment {
  return { name: 'quirk', data: { issue, workaround } };
}

export interface StyleGuide {
  prefer: string;
  never?: string | undefined;
  always?: string | undefined;
}

/** How results are to be written. */
export function styleGuide({ prefer, never, always }: StyleGuide): ContextFragment {
  return { name: 'styleGuide', data: { prefer, never, always } };
}
