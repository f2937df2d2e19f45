/** Varies an operation: expensive operations are similar to other expensive ones. */
import { getNamedType, isObjectType } from 'graphql';
import type { Choices } from './choices.js';
import { fieldOf, within } from './compose.js';
import { fieldsOf, type Field, type Operation } from './operation.js';
import { argumentsOf } from './values.js';

/** As many aliases as an operation may have, about. */
const COPIES = [2, 10, 45];

/** Fields of an operation: much more is refused for the length of its document. */
const MAX_FIELDS = 300;

type Change = (field: Field, choices: Choices) => readonly Field[];

const CHANGES: readonly Change[] = [
  // Another one in its place.
  (field, choices) => (isObjectType(field.parent) ? [fieldOf(field.parent, choices, 5)] : [field]),
  // Other arguments.
  (field, choices) =>
    field.definition === null
      ? [field]
      : [{ ...field, arguments: argumentsOf(field.parent.name, field.definition, choices) }],
  // More of it: a field in it, as deep as may be.
  (field, choices) => {
    const parent = field.selections[0]?.parent ?? (field.definition && getNamedType(field.definition.type));
    if (!isObjectType(parent)) return [field];
    return [{ ...field, selections: [...field.selections, fieldOf(parent, choices, 3)] }];
  },
  // The same many times, under other names.
  (field, choices) => Array.from({ length: choices.pick(COPIES) }, () => field),
  // What it selects, within itself once more, where that goes: `siblings` of `siblings`.
  (field) => {
    const inner = fieldsOf(field.selections).find(({ definition }) => definition === field.definition);
    const isNestable = field.definition !== null && getNamedType(field.definition.type) === field.parent;
    return isNestable && inner === undefined ? [{ ...field, selections: [field] }] : [field];
  },
  // None of it.
  () => [],
];

export function vary(operation: Operation, choices: Choices): Operation {
  if (choices.chance(0.1)) return { ...operation, times: choices.pick([1, 4, 10]) };
  if (choices.chance(0.1) && operation.kind !== 'subscription') {
    return { ...operation, isOverSocket: !operation.isOverSocket };
  }
  const chosen = choices.pick(fieldsOf(operation.selections));
  const change = choices.pick(CHANGES);
  const selections = changed(operation.selections, chosen, (field) => change(field, choices));
  const isOneRoot = operation.kind !== 'subscription' || selections.length === 1;
  const isSendable = selections.length > 0 && fieldsOf(selections).length <= MAX_FIELDS;
  return isSendable && isOneRoot ? within({ ...operation, selections }, choices) : operation;
}

/** The same fields with one of them changed; where nothing is left of an object's, as they were. */
export function changed(
  fields: readonly Field[],
  chosen: Field,
  change: (field: Field) => readonly Field[],
): readonly Field[] {
  return fields.flatMap((field) => {
    if (field === chosen) return change(field);
    const selections = changed(field.selections, chosen, change);
    return [selections.length === 0 ? field : { ...field, selections }];
  });
}
