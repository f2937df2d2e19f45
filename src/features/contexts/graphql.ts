/** Branch.context: the input of a model, as the library's ContextEngine resolves it. */
import {
  type ContextFragment,
  type FragmentData,
  type ContextRenderer,
  MarkdownRenderer,
  TomlRenderer,
  ToonRenderer,
  XmlRenderer,
} from '@parley/context';
import type { PendingMessage } from '@parley/context/server';
import { UNITS_PER_TURN } from '../../scheduler/work-turns.js';
import { readInputs } from '../../conversation/saving/save.js';
import { builder } from '../../graphql/builder.js';
import { operationKey, type Context } from '../../graphql/context.js';
import { beginWork } from '../../graphql/limits/begin-work.js';
import { CHAIN_SIZE, listSize } from '../../graphql/limits/list-size.js';
import { messageInput } from '../../graphql/message/mutations.js';
import { branchRef, messageRef } from '../../graphql/refs.js';
import { parseInTurn } from '../../graphql/answers/saved-json.js';
import { asInvalidInput, SystemPrompts } from './system-prompts.js';
import { tokensOfAll } from './message-tokens.js';
import { newestMessages, type NewestMessages } from './newest-messages.js';

const contextRenderer = builder.enumType('ContextRenderer', {
  description: 'Format of fragments.',
  values: {
    XML: { description: 'Elements.' },
    MARKDOWN: { description: 'Headings and lists.' },
    TOML: { description: 'Keys and tables.' },
    TOON: { description: 'Token-Oriented Object Notation: lists of like records as tables.' },
  } as const,
});

const renderers: Record<typeof contextRenderer.$inferType, ContextRenderer> = {
  XML: new XmlRenderer(),
  MARKDOWN: new MarkdownRenderer(),
  TOML: new TomlRenderer(),
  TOON: new ToonRenderer(),
};

const fragmentInput = builder.inputType('FragmentInput', {
  description: 'A named piece of context. Inside data, an object with name and data is a nested fragment.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'role, hint, or any other name. All fragments have at most 1 MiB as JSON together.',
    }),
    data: t.field({
      type: 'JSON',
      description:
        'null is left out, here and inside. All fragments have at most 1 MiB as JSON together, and are at most 64 levels deep.',
    }),
  }),
});

const contextInput = builder.inputType('ContextInput', {
  description: 'Context for a model besides the messages of the branch, and its format.',
  fields: (t) => ({
    fragments: t.field({
      type: [fragmentInput],
      required: true,
      defaultValue: [],
      description:
        'Content of the system prompt, in this order: at most 64 levels deep, 1 MiB as JSON, and about 4 Mi ' +
        'characters rendered.',
    }),
    pending: t.field({
      type: [messageInput],
      required: true,
      defaultValue: [],
      description: 'Unsaved messages that follow those of the branch: at most 500.',
    }),
    renderer: t.field({
      type: contextRenderer,
      required: true,
      defaultValue: 'XML',
      description: 'Format of the fragments.',
    }),
    maxTokens: t.int({
      description:
        'Keep the newest messages up to this many estimated tokens: one for each four bytes, and 1,000 for a file. They start at a ' +
        "message of the user if one fits, and keep a tool's result with its call. At least 1; all messages by default.",
    }),
    lastMessages: t.int({
      description: 'Keep at most this many of the newest messages, with the same start. At least 1; all by default.',
    }),
    summaries: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Put the newest message of type summary on the branch in place of the messages that do not fit; leave out the others of this ' +
        'type. No summary is used when all messages fit, or when the newest message does not fit beside it.',
    }),
    sourceTokens: t.int({
      description:
        'Render the texts that saved messages draw on, by each source: the newest messages after the common ancestor of the source and ' +
        "the message's parent, as a fragment of at most this many tokens. They are a message of the user before the message that has the " +
        'sources. maxTokens and lastMessages do not count them. 1 to 100,000, for the newest 32 sources; no sources by default.',
    }),
  }),
});

interface ResolvedContext extends NewestMessages {
  systemPrompt: string;
}

const resolvedContext = builder.objectRef<ResolvedContext>('ResolvedContext').implement({
  description: 'Input of a model.',
  fields: (t) => ({
    systemPrompt: t.exposeString('systemPrompt', { description: 'The rendered fragments.' }),
    messages: t.expose('messages', {
      ...listSize(CHAIN_SIZE),
      type: ['JSON'],
      description: 'In the order of the conversation, in the saved format; without UIMessages that have no parts.',
    }),
    summary: t.expose('summary', {
      type: messageRef,
      nullable: true,
      description: 'Summary used in place of the omitted messages: the first of the messages.',
    }),
    omittedMessages: t.exposeInt('omittedMessages', {
      description: 'Number of oldest messages left out, by maxTokens or lastMessages, with the summaries among them.',
    }),
    estimatedTokens: t.int({
      description: 'Estimated tokens of systemPrompt and messages.',
      resolve: (resolved, _args, context) => tokensOfAll(resolved, context),
    }),
  }),
});

builder.objectField(branchRef, 'context', (t) =>
  t.field({
    type: resolvedContext,
    description: 'Input of a model: the fragments rendered as system prompt, and the decoded messages.',
    args: { input: t.arg({ type: contextInput, required: true, description: 'Context to add, and its format.' }) },
    resolve: async (branch, { input }, context, info) => {
      // Rendered again for each branch.
      if (input.pending.length > 0) await beginWork(UNITS_PER_TURN, context);
      const fragments = input.fragments.map(({ name, data }): ContextFragment => ({
        name,
        data: data as FragmentData,
      }));
      const pending = readInputs(input.pending, 'pending', 0).map(({ id, name, dataFor }): PendingMessage => ({
        id,
        name,
        persist: true,
        decode: (decodedId) => parseInTurn(dataFor(decodedId, name), context),
      }));
      const [systemPrompt, conversation] = await Promise.all([
        promptsOf(context).render(fragments, renderers[input.renderer]),
        newestMessages(branch, pending, { ...input, renderer: renderers[input.renderer] }, context, info).catch(
          (error: unknown) => {
            throw asInvalidInput(error);
          },
        ),
      ]);
      return { systemPrompt, ...conversation };
    },
  }),
);

/** System prompts of each running operation, or answer of a subscription. */
const systemPrompts = new WeakMap<object, SystemPrompts>();

function promptsOf(context: Context): SystemPrompts {
  const prompts = systemPrompts.get(operationKey(context)) ?? new SystemPrompts();
  systemPrompts.set(operationKey(context), prompts);
  return prompts;
}
