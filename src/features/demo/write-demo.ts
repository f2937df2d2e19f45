/** A small sample conversation with branches, a rewind, side questions, a merge, a tool call, code and a checkpoint. */
import { randomUUID } from 'node:crypto';
import { createCheckpoint } from '../../conversation/branches/checkpoints.js';
import { updateChat, upsertChat } from '../../conversation/chats.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import { btw, rewind, switchBranch } from '../../conversation/branches/rewind.js';
import { editMessage, saveMessages } from '../../conversation/saving/save.js';
import type { ConversationStore } from '../../conversation/store.js';

export const DEMO_CHAT_ID = 'demo';

/** The demo's metadata while it is being written: it names its writer. */
const unfinished = (writer: string) => ({ demo: 'unfinished', writer });

function metadataOf(chat: Chat | null): { demo?: unknown; writer?: unknown } {
  return chat === null ? {} : (JSON.parse(chat.metadata) as object);
}

/** Whether a writer of the demo was interrupted, or is still running. */
export async function isDemoUnfinished(store: ConversationStore): Promise<boolean> {
  return metadataOf(await store.chat(DEMO_CHAT_ID)).demo === 'unfinished';
}

/**
 * Writes the demo for the local admin, and restarts an unfinished demo. A writer in another process may still be running: the last
 * writer wins, and the others stop.
 * @returns false when another writer finished it, or another chat has its id
 */
export async function writeDemoInto(store: ConversationStore): Promise<boolean> {
  const viewer: Viewer = { userId: 'local', isAdmin: true };
  const writer = randomUUID();
  if (await isDemoUnfinished(store)) await store.remove(DEMO_CHAT_ID, viewer.userId);
  const title = 'A weekend in Portugal';
  const { created } = await upsertChat(store, viewer, { id: DEMO_CHAT_ID, title, metadata: unfinished(writer) });
  if (!created) return false;
  try {
    await writeMessages(asWriter(store, writer), viewer);
    return true;
  } catch (error) {
    if (metadataOf(await store.chat(DEMO_CHAT_ID)).writer === writer) throw error;
    return false;
  }
}

/** A store that refuses changes once another writer has taken over the demo. */
function asWriter(store: ConversationStore, writer: string): ConversationStore {
  const change: ConversationStore['change'] = (chatId, actorId, work) =>
    store.change(chatId, actorId, async (locked, change) => {
      if (metadataOf(locked.chat).writer !== writer) throw new Error('another writer has taken over the demo');
      return work(locked, change);
    });
  return new Proxy(store, {
    get: (_, name) => {
      if (name === 'change') return change;
      const member: unknown = Reflect.get(store, name, store);
      return typeof member === 'function' ? (member.bind(store) as unknown) : member;
    },
  });
}

async function writeMessages(store: ConversationStore, viewer: Viewer): Promise<void> {
  const chatId = DEMO_CHAT_ID;
  const save = (name: string, id: string, text: string) =>
    saveMessages(store, viewer, { chatId, messages: [{ id, name, content: { text } }] });

  await save('system', 'demo-system', 'You are a travel guide who answers in a sentence or two.');
  await save('user', 'demo-question', 'Where should we spend a weekend in Portugal?');
  await save('assistant', 'demo-answer', 'In Porto: it is small enough to walk, and the river is never far.');
  await createCheckpoint(store, viewer, { chatId, name: 'the first idea' });
  await save('user', 'demo-food', 'What do we eat there?');
  await save(
    'assistant',
    'demo-food-answer',
    'A francesinha for lunch, and grilled sardines by the water in the evening.',
  );

  // Another answer to the first question: a new branch, main-v2.
  await rewind(store, viewer, { chatId, messageId: 'demo-question' });
  await save('assistant', 'demo-other-answer', 'In Lisbon: take the old tram to Alfama and stay for the fado.');
  await save('user', 'demo-tram', 'Is the tram worth the queue?');
  await save('assistant', 'demo-tram-answer', 'Before nine in the morning, yes.');

  // The same question in other words: main-v2-v2.
  await editMessage(store, viewer, {
    chatId,
    messageId: 'demo-tram',
    content: { text: 'Is there a way up to Alfama without the tram?' },
  });
  await save(
    'assistant',
    'demo-walk-answer',
    'Walk up from the cathedral: twenty minutes, and the best views are on the way.',
  );

  // A side question from main; the conversation itself continues.
  await switchBranch(store, viewer, { chatId, name: 'main' });
  await btw(store, viewer, { chatId, branchName: 'packing' });
  await saveMessages(store, viewer, {
    chatId,
    branch: 'packing',
    messages: [
      { id: 'demo-packing', name: 'user', content: { text: 'By the way, do we need an umbrella?' } },
      { id: 'demo-packing-answer', name: 'assistant', content: { text: 'In Porto, always.' } },
    ],
  });

  // A side question from main-v2, whose answer draws on main.
  await btw(store, viewer, { chatId, branchName: 'both cities', messageId: 'demo-tram-answer' });
  await saveMessages(store, viewer, { chatId, branch: 'both cities', messages: BOTH_CITIES });
  await updateChat(store, viewer, { id: chatId, metadata: { demo: true } });
}

/** A merge with a tool call, and an answer with code. */
const BOTH_CITIES = [
  { id: 'demo-both', name: 'user', content: { text: 'Could we see both cities, by train?' } },
  {
    id: 'demo-train',
    name: 'assistant',
    content: {
      data: {
        parts: [
          {
            type: 'tool-findTrains',
            toolCallId: 'demo-call',
            state: 'output-available',
            input: { from: 'Lisbon', to: 'Porto', day: 'Saturday' },
            output: { departs: '17:40', arrives: '20:30', price: 27.1 },
          },
          {
            type: 'text',
            text: 'Lisbon until Saturday, then the train at 17:40: in time for sardines by the water in Porto.',
          },
        ],
      },
    },
    sourceIds: ['demo-food-answer'],
  },
  { id: 'demo-cost', name: 'user', content: { text: 'What does each of us pay for that?' } },
  {
    id: 'demo-cost-answer',
    name: 'assistant',
    content: {
      text: `With two nights at 110 euros, 100.43 euros for each of three:

\`\`\`python
def each(people: int, train=27.10, nights=2, room=110):
    return round(train + nights * room / people, 2)

print(each(3))  # 100.43
\`\`\``,
    },
  },
];
