/** Stores in pages of a browser that are offline, frozen or reloaded while they write. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, noChromium, openPage, shareBrowser } from '../../../../test/support/chromium.js';
import type { ListeningServer } from '../../../../test/support/server/listening-server.js';
import { rawDatabase } from '../../../../test/support/database/raw-database.js';
import type * as Client from '../../src/client.js';
import { startChat } from '../open-parley.js';

/** The globals that a test adds to its page. */
interface Opened {
  client: typeof Client & { DraftWriter: typeof Client.DraftWriter };
  store: Client.ThreadStore;
  writer: Client.DraftWriter;
  /** The status of the last message in each state, from the first one with a chat. */
  ends: (string | undefined)[];
}
declare const globalThis: Opened;

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const PAGE = "export * from './client.js'; export { DraftWriter } from './drafts/draft-writer.js';";

let code = '';
beforeAll(async () => {
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    resolve: { conditionNames: ['@parley/source', 'import'], extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? join(SRC, 'page.js') : null),
        load: (id) => (id === join(SRC, 'page.js') ? PAGE : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'client' });
  await bundle.close();
  code = `${output[0].code}\nglobalThis.client = client;`;
});

/** Opens chat `c` in a page of the server; again after a reload. */
async function openStore(page: Page, { url }: ListeningServer): Promise<void> {
  // The page only provides an origin: its policy allows no requests.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Page.setBypassCSP', { enabled: true });
  await page.goto(new URL('/health/live', url).href);
  await page.evaluate(code);
  await page.evaluate(async (graphql) => {
    const { createParley, DraftWriter, ThreadStore } = globalThis.client;
    const store = new ThreadStore(createParley({ url: graphql }), 'c', { writer: DraftWriter });
    Object.assign(globalThis, { store, ends: [] });
    store.subscribe(() => {
      const { chat, thread } = store.getState();
      if (chat !== null) globalThis.ends.push(thread.at(-1)?.status);
    });
    await store.open();
    await store.when(({ status }) => status === 'live');
  }, url);
}

const shown = (page: Page) =>
  page.evaluate(() =>
    globalThis.store
      .getState()
      .thread.map(({ text, status }) => (status === undefined ? text : `${text} (${status})`))
      .join(' / '),
  );

const ask = (page: Page, text: string) =>
  page.evaluate(async (question) => {
    const asked = await globalThis.store.ask(question);
    if (!asked.ok) throw asked.error;
    globalThis.writer = asked.value.writer;
  }, text);

/** @returns the text at the end of the thread right after the append */
const append = (page: Page, words: string) =>
  page.evaluate((chunk) => {
    globalThis.writer.append(chunk);
    return globalThis.store.getState().thread.at(-1)?.text;
  }, words);

const shows = (page: Page, thread: string) => expect.poll(() => shown(page)).toBe(thread);

async function abandon({ databaseUrl }: ListeningServer): Promise<void> {
  await (await rawDatabase(databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
}

describe.skipIf(chromiumPath === undefined)(`in a browser${noChromium}`, () => {
  const browser = shareBrowser();

  async function openPages(): Promise<{ server: ListeningServer; here: Page; there: Page }> {
    const server = await startChat('q');
    const [here, there] = [await openPage(browser()), await openPage(browser())];
    for (const page of [here, there]) await openStore(page, server);
    return { server, here, there };
  }

  test('an offline page shows its writes, and other pages show them after it reconnects', async () => {
    const { here, there } = await openPages();
    await ask(here, 'q2');
    expect(await append(here, 'one ')).toBe('one ');
    await shows(there, 'q / q2 / one  (streaming)');
    await here.context().setOffline(true);
    expect(await append(here, 'two ')).toBe('one two ');
    expect(await append(here, 'three')).toBe('one two three');
    expect(await shown(there)).toBe('q / q2 / one  (streaming)');
    await here.context().setOffline(false);
    await shows(there, 'q / q2 / one two three (streaming)');
    await here.evaluate(() => globalThis.writer.finish());
    for (const page of [here, there]) await shows(page, 'q / q2 / one two three');
  });

  test('another page continues the answer of a frozen page, which shows it after it resumes', async () => {
    const { server, here, there } = await openPages();
    await ask(here, 'q2');
    await append(here, 'one ');
    await shows(there, 'q / q2 / one  (streaming)');
    const devTools = await here.context().newCDPSession(here);
    await devTools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await abandon(server);
    await shows(there, 'q / q2 / one  (abandoned)');
    await there.evaluate(async () => {
      const { store } = globalThis;
      const taken = await store.takeUp(store.getState().drafts[0]?.id ?? '');
      if (!taken.ok) throw taken.error;
      taken.value.append('two');
      await taken.value.finish();
    });
    await devTools.send('Page.setWebLifecycleState', { state: 'active' });
    for (const page of [here, there]) await shows(page, 'q / q2 / one two');
  });

  test('a reloaded page shows its answer in its first state, and ends it', async () => {
    const { server, here, there } = await openPages();
    await ask(here, 'q2');
    await append(here, 'half');
    await shows(there, 'q / q2 / half (streaming)');
    await openStore(here, server);
    expect(await here.evaluate(() => new Set(globalThis.ends).size)).toBe(1);
    await shows(here, 'q / q2 / half (streaming)');
    const stop = () => here.evaluate(() => globalThis.store.stop());
    expect(await stop()).toMatchObject({ ok: true, value: [expect.any(String)] });
    for (const page of [here, there]) await shows(page, 'q / q2 / half (stopping)');
    await abandon(server);
    for (const page of [here, there]) await shows(page, 'q / q2 / half (abandoned)');
    expect(await stop()).toMatchObject({ ok: true, value: [expect.any(String)] });
    for (const page of [here, there]) {
      await shows(page, 'q / q2 / half');
      const data = await page.evaluate(() => globalThis.store.getState().thread.at(-1)?.data);
      expect(data).toMatchObject({ metadata: { status: 'incomplete' } });
    }
  });
});
