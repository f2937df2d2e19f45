/** The theme, the sides of Compare, the users of the history and the model of the last answer. */
import { describe, expect, it } from 'vitest';
import { startFileServer } from '../../files/file-server.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openDemo, openExplorer, rootOf } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('the button of the theme changes the colours, also after a reload', async () => {
    const { page } = await openDemo(browser(), '/chats/demo/thread');
    const colour = () => page.evaluate(() => getComputedStyle(document.body).color);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await colour();
    await page.getByRole('button', { name: 'Dark' }).press('Enter');
    await page.getByRole('button', { name: 'Light' }).waitFor();
    const dark = await colour();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Light' }).waitFor();
    expect(await colour()).toBe(dark);
  });

  it('the sides of a comparison are swapped', async () => {
    const { page } = await openDemo(browser(), '/chats/demo/compare');
    await page.getByLabel('Right').first().selectOption({ label: 'main-v2' });
    await page.locator('ins', { hasText: 'Lisbon' }).waitFor();
    await page.getByRole('button', { name: 'Swap sides' }).press('Enter');
    await page.locator('ins', { hasText: 'Porto' }).waitFor();
    await page.locator('del', { hasText: 'Lisbon' }).waitFor();
  });

  it('the composer names the model of the last answer', async () => {
    const { page, ask } = await openDemo(browser(), '/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    const data = { role: 'assistant', metadata: { model: 'llama3.2' }, parts: [{ type: 'text', text: 'Sardines' }] };
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    await ask(save, { input: { chatId: 'demo', messages: [{ name: 'assistant', content: { data } }] } });
    await page.getByText('Answer: llama3.2').waitFor();
  });

  it('the history shows the events of one user', async () => {
    const { url, as } = await startFileServer();
    const ann = await as('ann');
    await ann.createChat('a');
    await ann.save('a', 'm', { role: 'user', parts: [{ type: 'text', text: 'Hello' }] });
    const eve = await as('eve', true);
    const checkpoint = { input: { chatId: 'a', name: 'by eve', messageId: 'm' } };
    await eve.ask(
      'mutation ($input: CreateCheckpointInput!) { createCheckpoint(input: $input) { __typename } }',
      checkpoint,
    );
    const { page } = await openExplorer(browser());
    await page.goto(`${rootOf(url)}#/chats/a/history`);
    await page.getByLabel('Token').fill(ann.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const events = page.locator('.history').getByRole('listitem');
    await events.filter({ hasText: 'by eve' }).waitFor();
    const all = await events.count();
    await page.getByLabel('User').selectOption('eve');
    await expect.poll(() => events.count()).toBeLessThan(all);
    expect(await events.allInnerTexts()).toEqual([expect.stringMatching(/Checkpoint by eve[^]*eve/)]);
  });
});
