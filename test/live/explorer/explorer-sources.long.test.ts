/** The sources of messages in the explorer: dotted lines in the graph, and links in the details of a message. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { chooseIn, messageItem, openDemo, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`sources in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('are dotted lines in the graph, and links between messages', async () => {
    const { page, complaints, ask, go } = await openDemo(browser(), '/chats/demo/graph');
    await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
      input: {
        chatId: 'demo',
        messages: [
          {
            id: 'merge',
            name: 'user',
            content: { text: 'Pack an umbrella, then.' },
            sourceIds: ['demo-packing-answer', 'demo-tram-answer'],
          },
        ],
      },
    });
    const output = page.locator('.graph output');
    await go('/chats/demo/graph/merge');
    await expect.poll(() => output.textContent()).toBe('user: Pack an umbrella, then. (draws on 2 messages)');
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await expect
      .poll(() => page.locator('.message-card li').allTextContents())
      .toEqual(['In Porto, always.', 'Before nine in the morning, yes.']);
    // Colors change at once.
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await violations(page)).toEqual([]);
    }

    await go('/chats/demo/thread/merge');
    const details = async (text: string) => {
      await chooseIn(messageItem(page, text), 'Details');
      return page.getByRole('dialog', { name: 'Details' });
    };
    const ofMerge = await details('Pack an umbrella');
    await ofMerge.getByRole('link', { name: 'assistant: In Porto, always.' }).click();
    await ofMerge.waitFor({ state: 'detached' });
    await page.locator('.message-list li[aria-current]', { hasText: 'In Porto, always.' }).waitFor();
    const ofSource = await details('In Porto, always.');
    await ofSource.getByText('Drawn on by').waitFor();
    await ofSource.getByRole('link', { name: 'user: Pack an umbrella, then.' }).click();
    await page.locator('.message-list li[aria-current]', { hasText: 'Pack an umbrella' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
