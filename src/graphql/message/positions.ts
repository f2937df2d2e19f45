/** Inputs in which "none" differs from "not given". */
import { InvalidInputError } from '../../conversation/errors.js';
import { builder } from '../builder.js';

export const positionInput = builder.inputType('PositionInput', {
  isOneOf: true,
  description: 'A message of the chat, or the start of a thread, before its first message.',
  fields: (t) => ({
    message: t.id({ description: 'The id of the message.' }),
    start: t.boolean({ description: 'true: the start of a thread.' }),
  }),
});

export const expectedHeadInput = builder.inputType('ExpectedHeadInput', {
  isOneOf: true,
  description: 'The head of a branch that the client last saw.',
  fields: (t) => ({
    id: t.id({ description: 'The id of the last message.' }),
    empty: t.boolean({ description: 'true: the branch had no messages.' }),
  }),
});

/**
 * @returns null for the start; undefined when it is not given
 * @throws InvalidInputError for `start: false`
 */
export function messageAt(at: typeof positionInput.$inferInput | null | undefined): string | null | undefined {
  return at == null ? undefined : (at.message ?? none(at.start, 'at.start'));
}

/**
 * @returns null for an empty branch; undefined when it is not given
 * @throws InvalidInputError for `empty: false`
 */
export function expectedHeadId(
  head: typeof expectedHeadInput.$inferInput | null | undefined,
): string | null | undefined {
  return head == null ? undefined : (head.id ?? none(head.empty, 'expectedHead.empty'));
}

function none(isNone: boolean | null | undefined, path: string): null {
  if (isNone !== true)
    throw new InvalidInputError(`${path} must be true, got ${JSON.stringify(isNone)}: omit it instead`, path);
  return null;
}
