/** Varies an operation: expensive operations are similar to other expensive ones. */
import { getNamedType, isObjectType } from 'graphql';
import type { Choices } from './choices.js';
import { copies, fieldOf, isWithinLimits, permitted, within } from './compose.js';
import { fieldsOf, type Field, type Operation } from './operation.js';
import { argumentsOf } from './values.js';

/** Numbers of copies, up to about the maximum of aliases. */
const COPIES = [2, 10, 45];

/** Maximum of fields: documents with many more exceed the length limit. */
const MAX_FIELDS = 300;

type Change = (field: Field, choices: Choices) => readonly Field[];

const CHANGES: readonly Change[] = [
  // Replace the field.
  (field, choices) => (isObjectType(field.parent) ? [fieldOf(field.parent, choices, 5)] : [field]),
  // Replace its arguments.
  (field, choices) =>
    field.definition === null
      ? [field]
      : [{ ...field, arguments: argumentsOf(field.parent.name, field.definition, choices) }],
  // Add a nested field.
  (field, choices) => {
    const parent = field.selections[0]?.parent ?? (field.definition && getNamedType(field.definition.type));
    if (!isObjectType(parent)) return [field];
    return [{ ...field, selections: [...field.selections, fieldOf(parent, choices, 3)] }];
  },
  // Repeat the field with aliases.
  (field, choices) => Array.from({ length: choices.pick(COPIES) }, () => field),
  // Repeat it with aliases and other arguments.
  (field, choices) => [field, ...copies(field, choices.pick(COPIES) - 1, choices)],
  // Make its selection a fragment, or a part of the document.
  (field) => [{ ...field, isFragment: !field.isFragment }],
  // Nest the field in itself if its type allows it, for example `siblings` of `siblings`.
  (field) => {
    const inner = fieldsOf(field.selections).find(({ definition }) => definition === field.definition);
    const isNestable = field.definition !== null && getNamedType(field.definition.type) === field.parent;
    return isNestable && inner === undefined ? [{ ...field, selections: [field] }] : [field];
  },
  // Remove the field.
  () => [],
];

export function vary(operation: Operation, choices: Choices): Operation {
  if (operation.kind === 'subscription' && choices.chance(0.2)) {
    return { ...operation, times: choices.pick([1, 10, 100]), saves: choices.pick([0, 1, 20, 500]) };
  }
  if (choices.chance(0.1)) return { ...operation, times: choices.pick([1, 4, 10]) };
  if (choices.chance(0.1) && operation.kind !== 'subscription') {
    return permitted({ ...operation, isOverSocket: !operation.isOverSocket });
  }
  const chosen = choices.pick(fieldsOf(operation.selections));
  const change = choices.pick(CHANGES);
  const selections = changed(operation.selections, chosen, (field) => change(field, choices));
  const isOneRoot = operation.kind !== 'subscription' || selections.length === 1;
  const isSendable = selections.length > 0 && fieldsOf(selections).length <= MAX_FIELDS;
  if (!isSendable || !isOneRoot) return operation;
  const varied = within(permitted({ ...operation, selections }), choices);
  return isWithinLimits(varied) ? varied : operation;
}

/** The same fields with one of them changed; an object whose selection would become empty stays unchanged. */
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
