/** Chats of extreme shapes, written through the store. */
import { createChat } from '../../../src/conversation/chats.js';
import type { ChatChange } from '../../../src/conversation/change.js';
import type { Message, Viewer } from '../../../src/conversation/model.js';
import { Placement } from '../../../src/conversation/saving/placement.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import { UNSET_MESSAGE_COLUMNS } from '../../../src/conversation/tables.js';

export const VIEWER: Viewer = { userId: 'u', isAdmin: false };

/** The values of a message whose text is its id. */
const values = (id: string) => ({
  ...UNSET_MESSAGE_COLUMNS,
  id,
  name: 'user',
  type: 'message',
  data: JSON.stringify(id),
});

/** One chain on main, saved in batches of 500: the message at depth n is `${chatId}-${n}`. */
export async function writeChain(store: ConversationStore, chatId: string, length: number): Promise<void> {
  await createChat(store, VIEWER, { id: chatId });
  for (let depth = 0; depth < length; depth += 500) {
    const messages = Array.from({ length: Math.min(500, length - depth) }, (_, n) => {
      const { id, name, type } = values(`${chatId}-${depth + n}`);
      return { id, name, type, content: { data: id } };
    });
    await saveMessages(store, VIEWER, { chatId, messages });
  }
}

/** A root `${chatId}-root` with children `${chatId}-0`, `${chatId}-1`, …; main ends in the last child. */
export async function writeChildren(store: ConversationStore, chatId: string, count: number): Promise<void> {
  await writeInOneChange(store, chatId, async (place, change, main) => {
    const root = await place(null, `${chatId}-root`);
    const children = [];
    for (let n = 0; n < count; n++) children.push(await place(root, `${chatId}-${n}`));
    change.append(main, [root, ...children]);
  });
}

/**
 * A trunk `${chatId}-0`, `${chatId}-1`, … on main, and branches b0, b1, …, each with one message `${chatId}-b0`, …. The
 * branches start at the trunk's messages in turn.
 */
export async function writeBranches(store: ConversationStore, chatId: string, count: number, trunkLength: number) {
  await writeInOneChange(store, chatId, async (place, change, main) => {
    const trunk: Awaited<ReturnType<typeof place>>[] = [];
    for (let n = 0; n < trunkLength; n++) trunk.push(await place(trunk.at(-1) ?? null, `${chatId}-${n}`));
    change.append(main, trunk);
    for (let n = 0; n < count; n++) {
      const start = trunk[n % trunkLength]!;
      const end = await place(start, `${chatId}-b${n}`);
      change.append(change.createBranch(`b${n}`, start), [end]);
    }
  });
}

type Place = (parent: Message | null, id: string) => ReturnType<Placement['place']>;
type Main = Parameters<ChatChange['append']>[0];

export async function writeInOneChange(
  store: ConversationStore,
  chatId: string,
  write: (place: Place, change: ChatChange, main: Main) => Promise<void>,
): Promise<void> {
  await createChat(store, VIEWER, { id: chatId });
  await store.change(chatId, VIEWER.userId, async (locked, change) => {
    const placement = new Placement(locked, change);
    await write((parent, id) => placement.place(parent, values(id)), change, await locked.activeBranch());
  });
}
