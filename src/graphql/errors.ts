/** The expected failures, as members of the mutations' result unions. */
import {
  AlreadyExistsError,
  ForbiddenError,
  HeadConflictError,
  InvalidInputError,
  NotFoundError,
  type InputProblem,
  type RefusalError,
} from '../conversation/errors.js';
import { MAX_PROBLEMS } from '../conversation/input-problems.js';
import { chatRole } from './chat-role.js';
import { headOf } from './answers/references.js';
import { branchRef, messageRef } from './refs.js';
import { builder } from './builder.js';
import { CHAIN_SIZE, listSize } from './limits/list-size.js';

const errorCodes: Record<string, { description: string }> = {
  INVALID_INPUT: { description: 'An input field is out of bounds.' },
  NOT_FOUND: { description: "The object does not exist, or it is not the viewer's." },
  FORBIDDEN: { description: "The viewer's role in the chat does not allow the operation." },
  ALREADY_EXISTS: { description: 'The id or the name is taken.' },
  HEAD_CONFLICT: { description: 'The head of the branch is not the one that the client last saw.' },
};

type ChatRefusal = new (message: string) => RefusalError;

/** Errors by which features refuse to delete or transfer a chat, when the schema is built. */
export const chatRefusals: ChatRefusal[] = [];

/** Adds an error of a feature to the results of deletions and transfers. The feature declares its type. */
export function addChatRefusal(error: ChatRefusal, code: string, description: string): void {
  chatRefusals.push(error);
  errorCodes[code] = { description };
}

export const errorInterface = builder.interfaceRef<Error & { code: string }>('Error').implement({
  description: 'An expected failure: nothing was written.',
  fields: (t) => ({
    code: t.expose('code', {
      type: builder.enumType('ErrorCode', { description: 'Kind of failure, for programs.', values: errorCodes }),
      description: 'The kind of failure.',
    }),
    message: t.exposeString('message', { description: 'The reason, in English, for people.' }),
  }),
});

const inputProblem = builder.objectRef<InputProblem>('InputProblem').implement({
  description: 'An input field that is out of bounds.',
  fields: (t) => ({
    path: t.stringList({
      description: 'The names and list positions from the input to the field; empty when no single field is at fault.',
      resolve: ({ path }) => path?.split('.') ?? [],
    }),
    message: t.exposeString('message', { description: 'The reason, in English, for people.' }),
  }),
});

builder.objectType(InvalidInputError, {
  name: 'InvalidInputError',
  description: 'An input field is out of bounds.',
  interfaces: [errorInterface],
  fields: (t) => ({
    path: t.exposeString('path', {
      nullable: true,
      description: 'The path of the first invalid input field, such as messages.0.content.',
    }),
    problems: t.field({
      ...listSize(MAX_PROBLEMS),
      type: [inputProblem],
      description: `All invalid input fields, at most ${MAX_PROBLEMS}: path and message are those of the first one.`,
      resolve: ({ problems }) => problems,
    }),
  }),
});

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'Also the result for foreign objects, so that their existence stays hidden.',
  interfaces: [errorInterface],
});

builder.objectType(ForbiddenError, {
  name: 'ForbiddenError',
  description:
    "The viewer's role in the chat does not allow the operation. Users without a role receive NotFoundError.",
  interfaces: [errorInterface],
  fields: (t) => ({
    requiredRole: t.expose('requiredRole', { type: chatRole, description: 'The lowest role that allows it.' }),
  }),
});

builder.objectType(AlreadyExistsError, {
  name: 'AlreadyExistsError',
  description: 'The id or the name is taken.',
  interfaces: [errorInterface],
});

builder.objectType(HeadConflictError, {
  name: 'HeadConflictError',
  description: 'The head of the branch is not the one that the client last saw.',
  interfaces: [errorInterface],
  fields: (t) => ({
    branch: t.field({
      type: branchRef,
      description: 'The branch as it is now.',
      resolve: (conflict) => conflict.branch,
    }),
    expectedHeadId: t.exposeID('expectedHeadId', { nullable: true, description: 'The head that the client expected.' }),
    actualHead: t.field({
      type: messageRef,
      nullable: true,
      description: 'The current head.',
      resolve: ({ branch }, ...context) => headOf(branch, ...context),
    }),
    newerMessages: t.field({
      ...listSize(CHAIN_SIZE),
      type: [messageRef],
      description: 'The messages of the branch that the client has not seen, root first; empty when it was rewound.',
      resolve: ({ branch, newerCount }, _args, { loaders }) =>
        branch.headMessageId === null || newerCount === 0
          ? []
          : loaders.chain.load({ chatId: branch.chatId, messageId: branch.headMessageId, length: newerCount }),
    }),
  }),
});
