/**
 * `npm run screenshots`: writes the states of the explorer into docs/explorer/light, dark and phone, and
 * docs/images/explorer.png for the README. Names select states: `npm run screenshots -- share home`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../parts.mjs';
import { addMember, shareTrip, writeChats } from './explorer-chats.mjs';
import { withServer } from './with-server.mjs';

/** The states of a server without chats. */
const firstStates = {
  'first-visit': { place: '/', ready: '.home .home-actions' },
};

/** The states of a server that requires sign-in. */
const strangerStates = {
  'sign-in': { place: '/', ready: '.sign-in' },
};

/** The states: URL, selector to wait for, and the steps to them. */
const states = {
  list: { place: '/', ready: '.cards .miniature' },
  empty: { place: '/chats/new/thread', ready: '.empty' },
  // A phone shows the thread instead.
  split: { place: '/chats/trip/split', ready: '.graph canvas', isWide: true },
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
  'import-finished': {
    place: '/',
    ready: '.cards a',
    act: async (page) => {
      await bring(page, 'tea.jsonl', '{"messages":[{"role":"user","content":"Which tea?"}]}', (route) =>
        route.continue(),
      );
      await page.locator('.report .miniature').waitFor();
    },
  },
  search: {
    place: '/',
    ready: '.cards a',
    act: async (page) => {
      await page.locator('#search').fill('rain');
      await page.locator('.snippet').first().waitFor();
    },
  },
  sharing: {
    place: '/chats/trip/thread',
    ready: '.message-list li',
    act: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('share');
      await page.getByRole('option', { name: /share/i }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  tokens: { place: '/tokens', ready: '.tokens' },
  share: { path: '/s', ready: '.share .message-body' },
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
};

const forms = {
  light: { viewport: { width: 1400, height: 820 }, colorScheme: 'light' },
  dark: { viewport: { width: 1400, height: 820 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 820 }, colorScheme: 'light', hasTouch: true },
};
const selected = process.argv.slice(2);

await withServer((browser, url) => draw(browser, url, firstStates), { DEMO: 'off' });
await withServer(async (browser, url) => {
  await writeChats(url);
  await addMember(url);
  await draw(browser, url, states, await shareTrip(url));
});
await withServer((browser, url) => draw(browser, url, strangerStates), {
  AUTH_JWT_SECRET: 'a secret of thirty-two characters',
});

/** Draws states in each form. @param token of a share */
async function draw(browser, url, drawn, token = '') {
  for (const [form, options] of Object.entries(forms)) {
    const folder = join(root, 'docs/explorer', form);
    mkdirSync(folder, { recursive: true });
    for (const [name, { path = '/', place = token, ready, act, isWide }] of Object.entries(drawn)) {
      if ((selected.length > 0 && !selected.includes(name)) || (isWide && form === 'phone')) continue;
      const page = await browser.newPage({ ...options, reducedMotion: 'reduce' });
      await page.goto(new URL(`${path}#${place}`, url).href);
      // A phone hides the page beside the list of chats.
      await page.locator(ready).first().waitFor({ state: 'attached' });
      await settle(page);
      await act?.(page);
      await settle(page);
      const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      writeFileSync(join(folder, `${name}.png`), picture);
      if (name === 'split' && form === 'light') writeFileSync(join(root, 'docs/images/explorer.png'), picture);
      await page.close();
    }
  }
}

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
