/** The explorer beside other clients, and on a server that requires tokens. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { openExplorer, rootOf } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();
  const open = () => openExplorer(browser());

  it('a save of another client appears in the graph', async () => {
    const { url, ask } = await startListening({ demo: true });
    const { page, complaints } = await open();
    await page.goto(new URL('/#/chats/demo/graph', url).href);
    const canvas = page.getByRole('application');
    await canvas.waitFor();
    await canvas.focus();
    await page.keyboard.press('?');
    await page.getByText('opens the thread at this message').waitFor();
    await ask(`mutation { saveMessages(input: { chatId: "demo", messages: [
      { name: "user", content: { text: "from elsewhere" } }] }) { __typename } }`);
    const output = page.locator('.graph output');
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown');
        return output.textContent();
      })
      .toContain('from elsewhere');
    expect(complaints).toEqual([]);
  });

  it('requires a token, and shows the chats of its user only', async () => {
    const { url } = await startListening({ auth: AUTH, demo: true });
    const { page } = await open();
    await page.goto(rootOf(url));
    const { authorization } = await bearer('alice');
    await page.getByText('This server requires a token.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Token').fill('x');
    await page.getByRole('button').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(authorization);
    await page.getByRole('button').click();
    await page.getByText('There are no chats yet.').waitFor();
  });
});
