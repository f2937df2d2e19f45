/** Argument values: names that exist in the database (see shapes.ts), and expensive numbers and texts. */
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { encodeCursor, encodePathCursor } from '../../../src/graphql/pages/cursors.js';
import { encodeNodeId } from '../../../src/graphql/node/node-id.js';
import type { Choices } from './choices.js';
import { LARGE_DATA } from './large-data.js';
import { BRANCHES, CHECKPOINTS, META_CHATS, SHAPES, SHARED_ENDS } from './shapes.js';

/** @param isOneOfMany whether it is an element of a long list: several large values would exceed the request limit */
type Make = (choices: Choices, isOneOfMany: boolean) => unknown;

const chat = (choices: Choices) => choices.pick(Object.keys(SHAPES));
const message = (choices: Choices) => {
  const [chatId, count] = choices.pick(Object.entries(SHAPES));
  // Prefer both ends over the positions between them.
  return `${chatId}-${choices.pick([0, 1, count - 1, choices.below(count)])}`;
};
const name = (choices: Choices) =>
  choices.pick(['main', `b${choices.below(BRANCHES)}`, `c${choices.below(CHECKPOINTS)}`, `n${choices.below(1e6)}`]);
const size: Make = (choices) => choices.pick([1, 10, 20, 50, 100, 200, 500, 1_000]);
const words: Make = (choices) => {
  const word = () => choices.pick(['long', 'wide', 'branchy', 'words', 'l', '1', 'text', '7', '99', 'zzz']);
  const one = () => choices.pick([`${word()}*`, word(), `-${word()}`, `"${word()} ${word()}"`]);
  return Array.from({ length: choices.pick([1, 2, 8, 32, 64]) }, one).join(' ');
};
const nodeId: Make = (choices) =>
  choices.pick([encodeNodeId('Chat', chat(choices)), encodeNodeId('Message', message(choices))]);
/** A cursor of a random chat: the server refuses cursors of other lists. */
const cursor = (kind: string, most: number): Make => {
  return (choices) => encodeCursor({ kind, of: chat(choices) }, choices.below(most));
};
const pathCursor: Make = (choices) => encodePathCursor(message(choices));
const json: Make = (choices, isOneOfMany) => {
  const length = choices.pick(isOneOfMany ? [1, 100, 1_000] : [1, 10_000, 300_000]);
  const large = Object.values(LARGE_DATA);
  return choices.pick<() => unknown>([
    ...(isOneOfMany ? [] : large),
    () => 'x'.repeat(length),
    () => Array.from({ length }, () => ({})),
    () => JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) as unknown,
    () => Array.from({ length: length / 100 }, (_, n) => ({ name: `f${n}`, data: 'x' })),
    () => choices.below(1_000),
  ])();
};

const share: Make = (choices) => choices.pick([...SHARED_ENDS.keys()]);

/** Values by the name of an argument or input field; names with a type prefix apply to that type only. */
const BY_NAME: Readonly<Record<string, Make>> = {
  chatId: chat,
  messageId: message,
  branch: name,
  branchName: name,
  name,
  key: (choices) => choices.pick(['n', 'note']),
  nodeId,
  query: words,
  first: size,
  last: size,
  limit: (choices) => choices.pick([1, 20, 500, 1_000, 10_000, 100_000]),
  text: (choices, isOneOfMany) => 'a word and another '.repeat(choices.pick(isOneOfMany ? [1, 100] : [1, 40_000])),
  'Query.chat.id': chat,
  'Query.message.id': message,
  'Chat.message.id': message,
  'Subscription.branchHead.after': (choices) => choices.pick([0, 1, 2_000, 5_000]),
  'Subscription.chatEvents.after': (choices) => choices.pick([0, 1, 2_000, 5_000]),
  'Branch.messages.after': pathCursor,
  'Branch.messages.before': pathCursor,
  'Message.children.after': cursor('child', SHAPES.wide),
  'Message.children.before': cursor('child', SHAPES.wide),
  'Chat.branches.after': cursor('branch', BRANCHES),
  'Chat.branches.before': cursor('branch', BRANCHES),
  'Chat.events.after': cursor('event', SHAPES.long),
  'Chat.events.before': cursor('event', SHAPES.long),
  'Query.shared.token': share,
  'ExpectedHeadInput.id': message,
  'PositionInput.message': message,
  'ForkChatInput.shareToken': share,
  'ForkChatInput.id': (choices) => `new-${choices.below(1e9)}`,
  'MessageInput.id': (choices) => choices.pick([message, (of: Choices) => `new-${of.below(1e9)}`])(choices),
  'MessageInput.name': (choices) => choices.pick(['user', 'assistant']),
  'FragmentInput.name': (choices) => choices.pick(['role', 'hint']),
  'CreateChatInput.id': (choices) => `new-${choices.below(1e9)}`,
  'UpdateChatInput.chatId': (choices) => `meta-${choices.below(META_CHATS)}`,
  // Later calls need the other shapes.
  'DeleteChatInput.chatId': (choices) => `meta-${choices.below(META_CHATS)}`,
};

/** Arguments that only admins may set. */
const LEFT_OUT = new Set(['userId']);

/** Fields of input objects of which exactly one is given. */
const EITHER: Readonly<Record<string, readonly string[]>> = {
  ForkChatInput: ['chatId', 'shareToken'],
  SwitchBranchInput: ['name', 'branchId'],
  RenameBranchInput: ['name', 'branchId'],
  DeleteBranchInput: ['name', 'branchId'],
  RestoreCheckpointInput: ['name', 'checkpointId'],
  DeleteCheckpointInput: ['name', 'checkpointId'],
};

/** The required arguments of a field, and random optional ones. */
export function argumentsOf(
  parent: string,
  field: GraphQLField<unknown, unknown>,
  choices: Choices,
): Record<string, unknown> {
  const within = `${parent}.${field.name}`;
  const given = field.args.filter(({ type, name }) => {
    // Cursors need a matching list, and are refused otherwise.
    if (/^(after|before)$/.test(name) && !(`${within}.${name}` in BY_NAME)) return false;
    return isNonNullType(type) || choices.chance(isSize(name) ? 0.6 : 0.3);
  });
  const entries = given.map(({ name, type }) => [name, valueOf(type, within, name, choices, false)]);
  const values = Object.fromEntries(entries) as Record<string, unknown>;
  // Setting both ends of a list is an error.
  if ('first' in values) delete values['last'];
  return values;
}

/** Whether an argument sets the length of a list. */
export function isSize(name: string): boolean {
  return /^(first|last|limit)$/.test(name);
}

function valueOf(
  type: GraphQLInputType,
  within: string,
  name: string,
  choices: Choices,
  isOneOfMany: boolean,
): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const length = choices.pick([1, 1, 2, 20, 500]);
    return Array.from({ length }, () => valueOf(nullable.ofType, within, name, choices, isOneOfMany || length > 2));
  }
  const named = getNamedType(nullable);
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter((field) => !LEFT_OUT.has(field.name));
    const either = EITHER[named.name] ?? [];
    const chosen = either.length === 0 ? undefined : choices.pick(either);
    const given = named.isOneOf
      ? [choices.pick(fields)]
      : fields.filter(({ name, type }) => {
          return either.includes(name) ? name === chosen : isNonNullType(type) || choices.chance(0.3);
        });
    const valueIn = (field: (typeof given)[number]) =>
      valueOf(field.type, named.name, field.name, choices, isOneOfMany);
    return Object.fromEntries(given.map((field) => [field.name, valueIn(field)]));
  }
  if (isEnumType(named)) return choices.pick(named.getValues()).name;
  const make = BY_NAME[`${within}.${name}`] ?? BY_NAME[name];
  if (make !== undefined) return make(choices, isOneOfMany);
  if (named.name === 'JSON') return json(choices, isOneOfMany);
  if (named.name === 'DateTime') return choices.pick(['2020-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z']);
  if (named.name === 'Int') return size(choices, isOneOfMany);
  if (named.name === 'Boolean') return choices.chance(0.5);
  return choices.pick(['user', 'assistant', 'x']);
}
