/**
 * `node scripts/screenshots/explorer.mjs`: writes thirteen states of the explorer into docs/explorer/light and
 * docs/explorer/dark, and docs/images/explorer.png for the README.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../parts.mjs';
import { writeChats } from './explorer-chats.mjs';
import { withServer } from './with-server.mjs';

/** The states: URL, selector to wait for, and the steps to them. */
const states = {
  list: { place: '/', ready: '.cards .miniature' },
  empty: { place: '/chats/new/thread', ready: '.empty' },
  split: { place: '/chats/trip/split', ready: '.graph canvas' },
  'graph-near': { place: '/chats/novel/graph', ready: '.graph canvas' },
  'graph-far': {
    place: '/chats/many/graph',
    ready: '.graph canvas',
    act: (page) => page.locator('.graph canvas').first().press('0'),
  },
  thread: { place: '/chats/trip/thread', ready: '.message-list table' },
  compare: { place: '/chats/novel/compare/calm-2/end-4', ready: '.compare .step' },
  history: { place: '/chats/trip/history', ready: '.act .miniature' },
  'import-running': {
    place: '/',
    ready: '.cards a',
    // The server does not answer.
    act: (page) => bring(page, 'conversations.json', '[]', () => {}),
  },
  'import-failed': {
    place: '/',
    ready: '.cards a',
    act: async (page) => {
      await bring(page, 'holiday.json', '{"photos": 12}', (route) => route.continue());
      await page.locator('.report .fault').waitFor();
    },
  },
  palette: {
    place: '/chats/trip/thread',
    ready: '.message-list li',
    act: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('po');
    },
  },
  // The rates need two readings.
  admin: { place: '/users', ready: '.glance > :first-child > dd:text-matches("[0-9]")' },
  small: { place: '/chats/trip/thread', ready: '.message-list table', width: 390 },
};

await withServer(async (browser, url) => {
  await writeChats(url);
  for (const colorScheme of ['light', 'dark']) {
    const folder = join(root, 'docs/explorer', colorScheme);
    mkdirSync(folder, { recursive: true });
    for (const [name, { place, ready, act, width = 1400 }] of Object.entries(states)) {
      const page = await browser.newPage({
        viewport: { width, height: 820 },
        colorScheme,
        reducedMotion: 'reduce',
      });
      await page.goto(new URL(`/#${place}`, url).href);
      await page.locator(ready).first().waitFor();
      await settle(page);
      await act?.(page);
      await settle(page);
      const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      writeFileSync(join(folder, `${name}.png`), picture);
      if (name === 'split' && colorScheme === 'light') writeFileSync(join(root, 'docs/images/explorer.png'), picture);
      await page.close();
    }
  }
});

/** Imports a file. @param answer of its route */
async function bring(page, name, content, answer) {
  await page.route(({ pathname }) => pathname === '/import', answer);
  await page
    .locator('#import-files')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
  await page.locator('.report').waitFor();
}

/** Waits until the view is drawn. The page of the server's figures always has a request. */
async function settle(page) {
  if (!page.url().endsWith('/users')) await page.waitForLoadState('networkidle');
  // The view is drawn in the frame after next.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}
