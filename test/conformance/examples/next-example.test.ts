/** Runs examples/next-chat as in its README, from the root of a clone. */
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT } from '../../package/packed.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { freePort } from '../../support/server/free-port.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { chooseFiles, shownFiles } from './choose-files.js';
import { start } from './start-program.js';

/** An answer of this many words at 100 ms a word outlasts a reload of the page. */
const LONG_QUESTION = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

/** A tab of the chat, with the actions of a user. */
function tabOf(page: Page) {
  page.setDefaultTimeout(PATIENCE_MS);
  const line = (text: string | RegExp) => page.locator('li', { hasText: text });
  return {
    page,
    line,
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    lines: () => page.locator('li').allInnerTexts(),
    hasStatus: (status: string) => page.locator(`ol[data-status=${status}]`).waitFor(),
    ask: async (text: string) => {
      await page.getByLabel('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
      await line(text).first().waitFor();
    },
    hasAnswer: (text: string) => page.locator('ol[data-status=ready] li', { hasText: text }).last().waitFor(),
  };
}

describe.skipIf(chromiumPath === undefined)(`examples/next-chat${noChromium}`, () => {
  const browser = shareBrowser();

  test('a user signs in, sends questions in two tabs, reloads and closes pages, approves a tool, and signs out', async () => {
    const port = String(await freePort());
    await start(['npm', 'run', 'example:next', '--', '--model', 'echo', '--port', port], PROJECT, /Ready in/, {
      DATABASE_URL: temporaryDatabaseUrl(),
      ECHO_WORD_DELAY_MS: '100',
    });
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const complaints: string[] = [];
    context.on('weberror', (error) => complaints.push(String(error.error())));
    const openTab = async (url: string) => {
      const tab = tabOf(await context.newPage());
      await tab.page.goto(url);
      return tab;
    };

    const here = await openTab(`http://127.0.0.1:${port}/`);
    await here.page.getByLabel('Name').fill('ana');
    await here.button('Sign in').click();
    await here.ask('How do I get to Porto?');
    const chat = here.page.url();
    // A second tab shows the answer while it streams, and after it is saved.
    const there = await openTab(chat);
    await there.hasAnswer('Echo: How do I get to Porto?');
    await here.hasAnswer('Echo: How do I get to Porto?');
    await here.page.getByRole('link', { name: 'How do I get to Porto?' }).waitFor();

    // A reload during an answer resumes it, and a stop in another tab ends it.
    await here.ask(LONG_QUESTION);
    await there.line(/Echo: word0/).waitFor();
    await there.hasStatus('streaming');
    await here.page.reload();
    await here.line(/Echo: word0/).waitFor();
    await here.hasStatus('streaming');
    await there.button('Stop').click();
    for (const tab of [here, there]) await tab.hasStatus('ready');

    // An answer continues without any page.
    await here.ask('What do we eat there?');
    await here.line(/Echo: What/).waitFor();
    await here.page.close();
    await there.page.goto('about:blank');
    await there.page.goto(chat);
    await there.hasAnswer('Echo: What do we eat there?');
    const again = await openTab(chat);
    await again.hasAnswer('Echo: What do we eat there?');

    // Another answer is a sibling of the first one, in both tabs.
    await again.line('Echo: What').getByRole('button', { name: 'Regenerate' }).click();
    for (const tab of [again, there]) {
      await tab.line('2/2').waitFor();
      await tab.hasAnswer('Echo: What do we eat there?');
    }
    await again.line('2/2').getByLabel('Previous version').click();
    for (const tab of [again, there]) await tab.line('1/2').waitFor();

    // The server runs one tool directly, and another one after an approval in any tab.
    await again.ask('weather in Porto');
    await again.hasAnswer('It is clear in Porto, at 21 °C.');
    await again.ask('book in Porto');
    await there.button('Approve').click();
    for (const tab of [again, there]) await tab.hasAnswer('A table for two is booked in Porto.');

    // A message with files: an upload that hangs is cancelled, and both tabs show what is sent.
    await again.page.route('**/files*', () => {});
    await chooseFiles(again.page, ['cancelled.png']);
    await again.ask('Not this');
    await again.page.getByRole('progressbar', { name: 'Upload' }).waitFor();
    await again.button('Cancel').click();
    await again.line('Not this').waitFor({ state: 'detached' });
    await again.page.unroute('**/files*');
    await chooseFiles(again.page, ['photo.png', 'removed.png', 'notes.txt']);
    await again.page.getByLabel('Remove removed.png').click();
    await again.ask('Look');
    for (const tab of [again, there]) {
      await tab.hasAnswer('Echo: Look');
      expect(await shownFiles(tab.line('Look').first())).toEqual(['photo.png', 'notes.txt']);
    }
    expect(await again.lines()).toEqual(await there.lines());

    await again.button('Sign out').click();
    await again.page.getByLabel('Name').waitFor();
    await there.page.reload();
    await there.page.getByLabel('Name').waitFor();
    expect(complaints).toEqual([]);
  });
});
