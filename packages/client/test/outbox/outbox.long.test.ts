/** The outbox in a browser: IndexedDB, reloads while the network is down, and two tabs. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../../../test/support/chromium.js';
import { sendTexts, startChat, until } from '../open-parley.js';

/** A page of one user that renders a thread, and executes commands of the test. */
const PAGE = `
import { createParley, ThreadStore } from './client.ts';
import { indexedDbOutbox } from './outbox/outbox.ts';

const userId = new URLSearchParams(location.search).get('user');
const errors = [];
const onError = ({ message }) => errors.push(message);
const outbox = indexedDbOutbox({ url: '/graphql', userId, onError });
const store = new ThreadStore(createParley({ url: '/graphql' }), 'c', { outbox });
const draw = () => {
  const { thread, conflicts } = store.getState();
  const texts = thread.map(({ text, status = '' }) => text + ' ' + status + ';').join(' ');
  document.body.textContent = texts + (conflicts.length > 0 ? ' conflict' : '');
};
store.subscribe(draw);
draw();
Object.assign(window, { store, outbox, errors });
`;

interface PageGlobals {
  store: { send(text: string): Promise<unknown>; getState(): { conflicts: { resolve(choice: string): unknown }[] } };
  outbox: { list(): Promise<unknown[]>; clear(): Promise<void> };
  errors: string[];
}

async function bundlePage(): Promise<string> {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const bundle = await rolldown({
    input: join(src, 'page.js'),
    platform: 'browser',
    resolve: { conditionNames: ['@parley/source', 'import'], extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === join(src, 'page.js') ? id : null),
        load: (id) => (id === join(src, 'page.js') ? PAGE : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].code;
}

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  async function openBrowser() {
    const server = await startChat('hello');
    const { origin } = new URL(server.url);
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    // The page of the test is not a local address, but this server is.
    await context.grantPermissions(['local-network-access'], { origin });
    const code = await bundlePage();
    // The page loads without the network, as with a service worker.
    await context.route(`${origin}/page*`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><body><script type="module">${code}</script>`,
      }),
    );
    return { server, context, origin };
  }

  async function openTab(context: BrowserContext, origin: string, user = 'ann'): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${origin}/page?user=${user}`);
    return page;
  }

  const shows = (page: Page, text: string) => page.locator('body', { hasText: new RegExp(`^${text}$`) }).waitFor();
  const send = (page: Page, text: string) =>
    page.evaluate((said) => void (window as unknown as PageGlobals).store.send(said), text);
  const kept = (page: Page) => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  const errors = (page: Page) => page.evaluate(() => (window as unknown as PageGlobals).errors);
  /** The messages in the database of the browser. */
  const stored = (page: Page) =>
    page.evaluate(
      (name) =>
        new Promise<number>((resolve, reject) => {
          const opening = indexedDB.open(name);
          opening.onerror = reject;
          opening.onsuccess = () => {
            const counting = opening.result.transaction('messages').objectStore('messages').count();
            counting.onsuccess = () => resolve(counting.result);
          };
        }),
      'parley-outbox ["/graphql","ann"]',
    );

  test('messages that were sent offline survive reloads of two tabs, and are sent once in their order', async () => {
    const { server, context, origin } = await openBrowser();
    const here = await openTab(context, origin);
    await shows(here, 'hello ;');
    await context.setOffline(true);
    await send(here, 'one');
    await send(here, 'two');
    await shows(here, 'hello ; one waiting; two sending;');
    await expect.poll(() => stored(here)).toBe(2);
    await here.reload();
    await shows(here, 'one waiting; two waiting;');
    const there = await openTab(context, origin);
    await shows(there, 'one waiting; two waiting;');
    await send(there, 'three');
    await expect.poll(() => stored(there)).toBe(3);
    await there.reload();
    await shows(there, 'one waiting; two waiting; three waiting;');
    await context.setOffline(false);
    for (const page of [here, there]) await shows(page, 'hello ; one ; two ; three ;');
    await expect.poll(() => stored(here)).toBe(0);
    const store = server.tab.thread('c');
    await store.open();
    await until(store, 'hello one two three');
    await store.loadAll();
    expect(store.getState().allMessages).toHaveLength(4);
    await here.reload();
    await shows(here, 'hello ; one ; two ; three ;');
    expect([await errors(here), await errors(there)]).toEqual([[], []]);
  });

  test('another user of the browser sends none of the messages, and signing out deletes them', async () => {
    const { server, context, origin } = await openBrowser();
    const ann = await openTab(context, origin);
    await shows(ann, 'hello ;');
    await context.setOffline(true);
    await send(ann, 'of Ann');
    await expect.poll(() => stored(ann)).toBe(1);
    // A page that closes is online again while its scripts still run.
    await ann.goto('about:blank');
    await ann.close();
    await context.setOffline(false);
    const ben = await openTab(context, origin, 'ben');
    await shows(ben, 'hello ;');
    await send(ben, 'of Ben');
    await shows(ben, 'hello ; of Ben ;');
    expect(await kept(ben)).toHaveLength(2);
    // The branch has moved on without the message.
    const again = await openTab(context, origin);
    await shows(again, 'hello ; of Ben ; conflict');
    await again.reload();
    await shows(again, 'hello ; of Ben ; conflict');
    await again.evaluate(() => (window as unknown as PageGlobals).outbox.clear());
    await again.reload();
    await shows(again, 'hello ; of Ben ;');
    expect(await stored(again)).toBe(0);
    await sendTexts(server.tab, 'end');
    await shows(again, 'hello ; of Ben ; end ;');
  });
});
