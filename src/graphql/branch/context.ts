/** Branch.context: what a model is called with, as the library's ContextEngine resolves it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ContextError } from '../../context/errors.js';
import { readFragments } from '../../context/fragments/fragment-tree.js';
import type { ContextFragment, FragmentData } from '../../context/fragments/fragment.js';
import { messageCodec } from '../../context/messages/codec.js';
import { decodePending, type PendingMessage } from '../../context/messages/pending-message.js';
import type { ContextRenderer } from '../../context/renderers/context-renderer.js';
import { MarkdownRenderer } from '../../context/renderers/markdown-renderer.js';
import { TomlRenderer } from '../../context/renderers/toml-renderer.js';
import { ToonRenderer } from '../../context/renderers/toon-renderer.js';
import { XmlRenderer } from '../../context/renderers/xml-renderer.js';
import { InvalidInputError } from '../../conversation/errors.js';
import { readDrafts } from '../../conversation/save.js';
import { builder } from '../builder.js';
import { messageInput } from '../message/mutations.js';
import { branchRef } from '../refs.js';

const contextRenderer = builder.enumType('ContextRenderer', {
  description: 'How fragments are written.',
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
    name: t.string({ required: true, description: 'role, hint, or any other name.' }),
    data: t.field({ type: 'JSON', description: 'null says nothing: it is left out, here and inside.' }),
  }),
});

const contextInput = builder.inputType('ContextInput', {
  description: 'What to tell a model beside the messages of the branch, and how.',
  fields: (t) => ({
    fragments: t.field({
      type: [fragmentInput],
      required: true,
      defaultValue: [],
      description:
        'What goes into the system prompt, in this order: at most 64 levels deep, 1 MiB as JSON, and about 4 Mi ' +
        'characters written out.',
    }),
    pending: t.field({
      type: [messageInput],
      required: true,
      defaultValue: [],
      description: 'Messages that are not saved yet, to stand after those of the branch: at most 500.',
    }),
    renderer: t.field({ type: contextRenderer, required: true, defaultValue: 'XML' }),
  }),
});

interface ResolvedContext {
  systemPrompt: string;
  messages: unknown[];
}

const resolvedContext = builder.objectRef<ResolvedContext>('ResolvedContext').implement({
  description: 'What a model is called with.',
  fields: (t) => ({
    systemPrompt: t.exposeString('systemPrompt', { description: 'The fragments, rendered.' }),
    messages: t.expose('messages', {
      type: ['JSON'],
      description: 'In the order of the conversation, in the form in which they were saved.',
    }),
  }),
});

builder.objectField(branchRef, 'context', (t) =>
  t.field({
    type: resolvedContext,
    description: 'What a model is called with: the fragments rendered as system prompt, and the decoded messages.',
    args: { input: t.arg({ type: contextInput, required: true }) },
    resolve: async ({ headMessageId }, { input }, { loaders }) => {
      const pending = readDrafts(input.pending, 'pending', 0).map(({ id, name, dataFor }): PendingMessage => ({
        id,
        name,
        persist: true,
        decode: (decodedId) => JSON.parse(dataFor(decodedId, name)) as unknown,
      }));
      const [systemPrompt, path] = await Promise.all([
        renderInTurn(input),
        headMessageId === null ? [] : loaders.chain(headMessageId, null),
      ]);
      const saved = path.map(({ data }) => messageCodec(JSON.parse(data)).decode());
      return { systemPrompt, messages: [...saved, ...decodePending(path, pending).map(({ message }) => message)] };
    },
  }),
);

const inTurn = pLimit(1);

/** Renders after those who came before, with a turn of the event loop for everybody else in between: it takes a while. */
function renderInTurn(input: typeof contextInput.$inferInput): Promise<string> {
  return inTurn(async () => {
    await nextTurn();
    return render(input);
  });
}

/** What they may have about, written out, in characters: in deep sections formats repeat names, or indent by them. */
const MAX_PROMPT_LENGTH = 4 * 1024 * 1024;
/** As JSON, in UTF-8. */
const MAX_FRAGMENT_BYTES = 1024 * 1024;

function render({ fragments: given, renderer }: typeof contextInput.$inferInput): string {
  const fragments = given.map(({ name, data }): ContextFragment => ({ name, data: data as FragmentData }));
  try {
    // How deep they are comes first: the rest goes down into them.
    readFragments(fragments, { path: 'fragments', maxLength: MAX_PROMPT_LENGTH });
    checkSize(fragments);
    return renderers[renderer].render(fragments, { path: 'fragments' });
  } catch (error) {
    throw error instanceof ContextError ? new InvalidInputError(error.message, error.path) : error;
  }
}

function checkSize(fragments: readonly ContextFragment[]): void {
  let bytes = 0;
  for (const [index, fragment] of fragments.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(fragment));
    if (bytes <= MAX_FRAGMENT_BYTES) continue;
    const path = `fragments.${index}`;
    throw new InvalidInputError(
      `${path}: fragments must have at most ${MAX_FRAGMENT_BYTES} bytes as JSON together`,
      path,
    );
  }
}
