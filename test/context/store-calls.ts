/** Calls of every store method in any order, with valid and invalid arguments. */
import fc from 'fast-check';
import type { ContextStore, NewMessageData, PlaceData } from '@parley/context';

/** A call on chats of one run: `$` in names of chats and messages is replaced by the number of the run. */
export interface Call {
  /** Shown with failures. */
  call: string;
  on(store: ContextStore, within: (name: string) => string): Promise<unknown>;
}

// Few values, so that calls collide; some are invalid.
const chat = fc.constantFrom('a$', 'a$', 'a$', 'b$', 'nobody', '');
const user = fc.constantFrom('u', 'v', '');
const messageId = fc.constantFrom('m1$', 'm2$', 'm3$', 'm4$', 'm5$', 'x$', 'm\0');
const knownId = fc.constantFrom('m1$', 'm2$', 'm3$', 'm4$', 'nothing');
const text = fc.constantFrom('hello', 'why not?', '你好 apple', '', 'half \ud800', '<b>apple</b> & pear');
const branchName = fc.constantFrom('main', 'main-v2', 'main-v2-v2', 'side', 'nowhere');
const newBranchName = fc.constantFrom(undefined, undefined, undefined, 'side', 'main-v9', 'main', '');
const checkpointName = fc.constantFrom('here', 'there', '');
const place: fc.Arbitrary<PlaceData> = fc.oneof(
  fc.record({ branch: branchName }),
  fc.record({ checkpoint: checkpointName }),
  fc.record({ messageId: knownId }),
  fc.constantFrom<PlaceData>({}, { branch: 'main', checkpoint: 'here' }, { messageId: undefined, branch: 'main' }),
);
const cycle: unknown[] = [];
cycle.push(cycle);
const json = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom<unknown>({ left: undefined, kept: 1 }, new Date(0), 4n, cycle, [() => 1], Number.NaN, undefined, {
    '\0': 1,
  }),
);
const metadata = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>({}, { a: 1 }, { a: null, b: { c: [] } }, undefined) },
  json,
) as fc.Arbitrary<Record<string, unknown> | undefined>;

const author = fc.constantFrom('user', 'assistant', 'assistant', '');
const message = fc.record({
  id: fc.oneof(
    messageId.map((id) => ({ id })),
    fc.constantFrom({}, { lazyId: 'LAST_ASSISTANT' as const }),
  ),
  name: author,
  type: fc.constantFrom({}, {}, { type: 'note' }),
  content: fc.oneof(
    text.map((each) => ({ text: each })),
    json.map((data) => ({ data })),
  ),
});
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

const newMessage = ({ id, name, type, content }: Message, within: (name: string) => string): NewMessageData => ({
  ...('id' in id ? { id: within(id.id) } : id),
  name,
  ...type,
  content,
});

const options = fc.record(
  {
    branch: branchName,
    expectedHeadId: fc.option(knownId, { nil: null }),
    onConflict: fc.constantFrom('REJECT' as const, 'FORK' as const, 'APPEND' as const),
  },
  { requiredKeys: [] },
);

/** A call of a kind with its arguments. */
function call<T extends unknown[]>(
  method: string,
  given: { [K in keyof T]: fc.Arbitrary<T[K]> },
  on: (store: ContextStore, within: (name: string) => string, ...args: T) => Promise<unknown>,
): fc.Arbitrary<Call> {
  return fc.tuple<T>(...given).map((args) => ({
    call: `${method}(${args.map((arg) => fc.stringify(arg)).join(', ')})`,
    on: (store, within) => on(store, within, ...args),
  }));
}

const reads = [
  call('getChat', [chat], (store, $, id) => store.getChat($(id))),
  call('getMessage', [knownId], (store, $, id) => store.getMessage($(id))),
  call('getMessageChain', [knownId], (store, $, id) => store.getMessageChain($(id))),
  call('hasChildren', [knownId], (store, $, id) => store.hasChildren($(id))),
  call('getMessages', [chat], (store, $, id) => store.getMessages($(id))),
  call('getBranch', [chat, branchName], (store, $, id, name) => store.getBranch($(id), name)),
  call('getActiveBranch', [chat], (store, $, id) => store.getActiveBranch($(id))),
  call('listBranches', [chat], (store, $, id) => store.listBranches($(id))),
  call('getCheckpoint', [chat, checkpointName], (store, $, id, name) => store.getCheckpoint($(id), name)),
  call('listCheckpoints', [chat], (store, $, id) => store.listCheckpoints($(id))),
  call('compare', [chat, place, place], (store, $, id, base, head) => {
    const within = ({ messageId: of, ...rest }: PlaceData) => (of === undefined ? rest : { ...rest, messageId: $(of) });
    return store.compare($(id), within(base), within(head));
  }),
  call('getGraph', [chat], (store, $, id) => store.getGraph($(id))),
  call(
    'searchMessages',
    [
      chat,
      fc.constantFrom('hello', 'apple', 'pear -apple', '你好', ''),
      fc.record(
        { limit: fc.constantFrom(0, 1, 5), names: fc.subarray(['user', 'assistant', '']) },
        { requiredKeys: [] },
      ),
    ],
    (store, $, id, query, asked) => store.searchMessages($(id), query, asked),
  ),
  // The order is arbitrary: two chats may have the same time.
  call(
    'listChats',
    [fc.constantFrom({}, { userId: 'u' }, { offset: 1000 }, { limit: 0 }, { limit: -1 })],
    (store, _, asked) =>
      store.listChats(asked).then((chats) => chats.sort((one, other) => (one.id < other.id ? -1 : 1))),
  ),
];
const writes = [
  call('createChat', [chat, user, metadata], (store, $, id, userId, given) =>
    store.createChat({ id: $(id), userId, ...(given !== undefined && { metadata: given }) }),
  ),
  call('upsertChat', [chat, user], (store, $, id, userId) => store.upsertChat({ id: $(id), userId, title: 'new' })),
  call('updateChat', [chat, fc.constantFrom('metadata', 'metadataPatch'), metadata], (store, $, id, how, given) =>
    store.updateChat($(id), { title: 'changed', [how]: given }),
  ),
  call('addMessage', [chat, messageId, fc.option(knownId), json], (store, $, chatId, id, parentId, data) =>
    store.addMessage({ chatId: $(chatId), id: $(id), parentId: parentId && $(parentId), name: 'user', data }),
  ),
  call(
    'createBranch',
    [chat, fc.option(knownId), newBranchName, fc.boolean()],
    (store, $, chatId, id, name, isActive) =>
      store.createBranch({
        chatId: $(chatId),
        headMessageId: id && $(id),
        isActive,
        ...(name !== undefined && { name }),
      }),
  ),
  call('setActiveBranch', [chat, branchName], (store, $, id, name) => store.setActiveBranch($(id), name)),
  call('renameBranch', [chat, branchName, branchName], (store, $, id, name, newName) =>
    store.renameBranch($(id), name, newName),
  ),
  call('deleteBranch', [chat, branchName], (store, $, id, name) => store.deleteBranch($(id), name)),
  call('createCheckpoint', [chat, checkpointName, knownId], (store, $, chatId, name, id) =>
    store.createCheckpoint({ chatId: $(chatId), name, messageId: $(id) }),
  ),
  call('deleteCheckpoint', [chat, checkpointName], (store, $, id, name) => store.deleteCheckpoint($(id), name)),
  call('deleteChat', [fc.constantFrom('b$', 'b$', 'nobody')], (store, $, id) => store.deleteChat($(id))),
];
const save = call(
  'saveMessages',
  [chat, fc.array(message, { maxLength: 3 }), options],
  (store, $, id, messages, { expectedHeadId, ...asked }) =>
    store.saveMessages(
      $(id),
      messages.map((each) => newMessage(each, $)),
      { ...asked, ...(expectedHeadId !== undefined && { expectedHeadId: expectedHeadId && $(expectedHeadId) }) },
    ),
);
/** Saves are the most frequent calls. */
export const anyCall = fc.oneof(
  { weight: 8, arbitrary: save },
  ...[...writes, ...reads].map((arbitrary) => ({ weight: 1, arbitrary })),
);
/** Starts with a save, so that calls find messages. */
export const BEGINNING: Call[] = [
  { call: 'createChat', on: (store, $) => store.createChat({ id: $('a$'), userId: 'u' }) },
  {
    call: 'saveMessages',
    on: (store, $) =>
      store.saveMessages($('a$'), [
        { id: $('m1$'), name: 'user', content: { text: 'hello' } },
        { id: $('m2$'), name: 'assistant', content: { text: 'hello' } },
      ]),
  },
];
