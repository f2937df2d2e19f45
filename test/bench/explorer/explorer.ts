/** The query of the explorer's graph, against the whole graph. */
import { Placement } from '../../../src/conversation/saving/placement.js';
import type { PlacedMessage } from '../../../src/conversation/model.js';
import { createChat } from '../../../src/conversation/chats.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import { UNSET_MESSAGE_COLUMNS } from '../../../src/conversation/tables.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { graphQuery } from '../chains.js';
import { VIEWER, chainPiece } from '../measuring/fixture.js';
import { medians } from '../measuring/measure.js';
import { ratioOf, type Ratio } from '../measuring/report.js';
import { withServer } from '../measuring/server.js';

const MESSAGES = 100_000;

export const outlineQuery = (chatId: string) => `{ chat(id: "${chatId}") { outline { segments {
  firstId lastId parentId length depth firstRole firstContent lastRole lastContent firstCreatedAt lastCreatedAt sourceIds } } } }`;

/** @param url of a missing database, which is created */
export async function* measureExplorer(database: string, url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const forks of [100, 10_000]) await writeForks(store, `forks${forks}`, forks);
  await store.close();
  yield* await withServer(url, async ({ post }) => {
    const ratios: Ratio[] = [];
    for (const forks of [100, 10_000]) {
      const chatId = `forks${forks}`;
      const times = await medians(
        { graph: () => post(graphQuery(chatId)), outline: () => post(outlineQuery(chatId)) },
        3,
      );
      const what = `${database}: Chat.outline of 100,000 with ${forks.toLocaleString('en')} forks against Chat.graph`;
      ratios.push(ratioOf(what, times.outline, times.graph, forks === 100 ? 0.25 : 0.45));
    }
    return ratios;
  });
}

/** Writes pieces of messages alternately to main and as a fork of an earlier message of main. */
export async function writeForks(
  store: ConversationStore,
  chatId: string,
  forks: number,
  messages = MESSAGES,
): Promise<void> {
  await createChat(store, VIEWER, { id: chatId, title: chatId });
  await store.change(chatId, VIEWER.userId, async (locked, change) => {
    const placement = new Placement(locked, change);
    const pieces = 2 * forks;
    const length = Math.floor(messages / pieces);
    const main: PlacedMessage[] = [];
    const all: PlacedMessage[] = [];
    for (let piece = 0; piece < pieces; piece++) {
      const isFork = piece % 2 === 1;
      // Spread evenly, and the same in each run.
      let at = isFork ? (main[(piece * 7919) % (main.length - 1)] ?? null) : (main.at(-1) ?? null);
      for (const { id, name, content } of chainPiece(chatId, piece * length, length)) {
        const values = { ...UNSET_MESSAGE_COLUMNS, id, name, type: 'message', data: JSON.stringify(content.text) };
        at = await placement.place(at, values);
        all.push(at);
        if (!isFork) main.push(at);
      }
    }
    change.append(await locked.activeBranch(), all);
  });
}
