/** Fragments about a domain: one function for each kind of knowledge. Omitted fields are not rendered. */
import type { ContextFragment } from './fragment.js';

/** The role and purpose of the model. Most system prompts begin with it. */
export function role(content: string): ContextFragment<string> {
  return { name: 'role', data: content };
}

/** A rule of behaviour that always holds. */
export function hint(text: string): ContextFragment<string> {
  return { name: 'hint', data: text };
}

/** A word of the domain, and its meaning. */
export function term(name: string, definition: string): ContextFragment {
  return { name: 'term', data: { name, definition } };
}

/** Words of the domain, each with the expression that computes it, such as revenue: 'SUM(orders.total)'. */
export function glossary(entries: Readonly<Record<string, string>>): ContextFragment {
  return { name: 'glossary', data: Object.entries(entries).map(([term, expression]) => ({ term, expression })) };
}

export interface Guardrail {
  /** A rule without exceptions. */
  rule: string;
  /** The reason for the rule. */
  reason?: string | undefined;
  /** The reaction to a request that breaks it. */
  action?: string | undefined;
}

/** A hard limit. */
export function guardrail({ rule, reason, action }: Guardrail): ContextFragment {
  return { name: 'guardrail', data: { rule, reason, action } };
}

export interface Policy {
  /** The rule. */
  rule: string;
  /** The action before which the rule must hold. */
  before?: string | undefined;
  /** The reason for the rule. */
  reason?: string | undefined;
  /** Finer rules within this one. */
  policies?: readonly ContextFragment[] | undefined;
}

/** A rule of procedure: a condition that must hold before an action. */
export function policy({ rule, before, reason, policies }: Policy): ContextFragment {
  return { name: 'policy', data: { rule, before, reason, policies: policies && [...policies] } };
}

export interface Principle {
  title: string;
  /** Its effect on the behaviour of the model. */
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
  /** The concept in other words, or as an image. */
  explanation: string;
  /** The conclusion for the model. */
  therefore?: string | undefined;
}

/** A concept that a definition alone does not make clear. */
export function explain({ concept, explanation, therefore }: Explanation): ContextFragment {
  return { name: 'explain', data: { concept, explanation, therefore } };
}

export interface Analogy {
  /** The concepts that are compared. */
  concepts: readonly string[];
  /** Their relation, by a familiar image. */
  relationship: string;
  /** The point of the image. */
  insight?: string | undefined;
  /** The conclusion for the model. */
  therefore?: string | undefined;
  /** Where the image misleads. */
  pitfall?: string | undefined;
}

/** A relation of concepts, explained by a familiar one. */
export function analogy({ concepts, ...rest }: Analogy): ContextFragment {
  const { relationship, insight, therefore, pitfall } = rest;
  return { name: 'analogy', data: { concepts: [...concepts], relationship, insight, therefore, pitfall } };
}

export interface Example {
  question: string;
  /** The wanted answer. */
  answer: string;
  note?: string | undefined;
}

/** A question with the wanted answer. */
export function example({ question, answer, note }: Example): ContextFragment {
  return { name: 'example', data: { question, answer, note } };
}

export interface Clarification {
  /** The unclear case. */
  when: string;
  /** The question to the user. */
  ask: string;
  /** The reason to ask. */
  reason?: string | undefined;
}

/** A case in which to ask instead of guessing. */
export function clarification({ when, ask, reason }: Clarification): ContextFragment {
  return { name: 'clarification', data: { when, ask, reason } };
}

export interface Workflow {
  task: string;
  /** In order. */
  steps: readonly string[];
  /** Words that start the workflow. */
  triggers?: readonly string[] | undefined;
  notes?: string | undefined;
}

/** A procedure of several steps. */
export function workflow({ task, steps, triggers, notes }: Workflow): ContextFragment {
  return { name: 'workflow', data: { task, steps: [...steps], triggers: triggers && [...triggers], notes } };
}

export interface Quirk {
  /** The unexpected property. */
  issue: string;
  /** Its workaround. */
  workaround: string;
}

/** An unexpected property, and its workaround. */
export function quirk({ issue, workaround }: Quirk): ContextFragment {
  return { name: 'quirk', data: { issue, workaround } };
}

export interface StyleGuide {
  prefer: string;
  never?: string | undefined;
  always?: string | undefined;
}

/** The style of results. */
export function styleGuide({ prefer, never, always }: StyleGuide): ContextFragment {
  return { name: 'styleGuide', data: { prefer, never, always } };
}
