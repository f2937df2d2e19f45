/** Filters of titles without a match, among 100,000 chats against 1,000. */
import { connect } from '../../../src/database/opening/open.js';
import { indexedWords } from '../../../src/search/terms.js';
import { VIEWER } from '../measuring/fixture.js';
import { medians } from '../measuring/measure.js';
import { ratioOf, type Ratio } from '../measuring/report.js';
import { withServer } from '../measuring/server.js';

const SIZES = { few: 1_000, many: 100_000 };
const CHATS_AT_ONCE = 1_000;

/** @param urls of databases of the same kind */
export async function* measureTitles(
  database: string,
  urls: Record<keyof typeof SIZES, string>,
): AsyncGenerator<Ratio> {
  for (const [name, url] of Object.entries(urls)) await writeChats(url, SIZES[name as keyof typeof SIZES]);
  const find = (title: string, more = '') =>
    `{ chats(first: 20, filter: { title: "${title}" ${more} }) { totalCount edges { node { id title } } } }`;
  const times = await withServer(urls.few, (few) =>
    withServer(urls.many, (many) =>
      medians(
        Object.fromEntries(
          Object.entries({ few, many }).flatMap(([name, { post }]) => [
            [`${name} none`, () => post(find('seldom'))],
            [`${name} mine`, () => post(find('seldom', 'mine: true'))],
          ]),
        ),
        30,
      ),
    ),
  );
  const of = (name: string) => times[name] ?? NaN;
  yield ratioOf(
    `${database}: a title filter without a match in all 100,000 chats against 1,000`,
    of('many none'),
    of('few none'),
    1.5,
  );
  yield ratioOf(`${database}: the same in the chats of one user`, of('many mine'), of('few mine'), 1.5);
}

/** Titled chats without messages, with their words. */
async function writeChats(url: string, count: number): Promise<void> {
  const { connection } = await connect(url, { migrate: true });
  const { sql } = connection;
  for (let done = 0; done < count; done += CHATS_AT_ONCE) {
    await connection.write('titles', async (tx) => {
      const words: { chatId: string; word: string }[] = [];
      for (let n = done; n < done + CHATS_AT_ONCE; n++) {
        const id = `chat${n}`;
        const title = `Plans for the weekend number ${n}`;
        const rest = { metadata: '{}', createdAt: n, updatedAt: n, version: 0, usage: null, members: '[]' };
        await tx.run(sql.insertRows('chats', [{ id, userId: VIEWER.userId, title, ...rest }]));
        await tx.run(sql.setIndexedTitle(id, title));
        for (const word of indexedWords(title)) words.push({ chatId: id, word });
      }
      await tx.run(sql.insert('chat_title_words', words));
    });
  }
  await connection.close();
}
