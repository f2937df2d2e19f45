/** A text that is typed in the explorer is kept until it is sent or cleared, on the branch on which it was begun. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { messageItem, openDemo } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`a typed text${noChromium}`, () => {
  const browser = shareBrowser();

  async function open() {
    const { page, go, ask, complaints } = await openDemo(browser());
    await ask(`mutation { createChat(input: { id: "it" }) { __typename }
      saveMessages(input: { chatId: "it", messages: [
        { id: "q", name: "user", content: { text: "Where is it warm?" } },
        { id: "a", name: "assistant", content: { text: "In Faro." } } ] }) { __typename } }`);
    const field = page.getByLabel('Write a message');
    const openThread = async (chat: string) => {
      await go(`/chats/${chat}/thread`);
      await page.locator('.message-list li').first().waitFor();
    };
    await openThread('it');
    return { page, go, ask, complaints, field, openThread };
  }

  it('outlasts other views, other chats and a reload, and ends when it is sent', async () => {
    const { page, go, complaints, field, openThread } = await open();
    await field.fill('And in March?');
    await go('/chats/it/history');
    await page.locator('.history').waitFor();
    await openThread('demo');
    expect(await field.inputValue()).toBe('');
    await openThread('it');
    expect(await field.inputValue()).toBe('And in March?');
    await page.setViewportSize({ width: 400, height: 800 });
    await page.reload();
    await messageItem(page, 'In Faro.').waitFor();
    expect(await field.inputValue()).toBe('And in March?');
    await field.press('Enter');
    await messageItem(page, 'And in March?').waitFor();
    await page.reload();
    await messageItem(page, 'And in March?').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  it('returns to the field when its save is refused', async () => {
    const { page, field } = await open();
    const tooLong = 'word '.repeat(220_000);
    await field.fill(tooLong);
    await field.press('Enter');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => field.inputValue()).toBe(tooLong);
  });

  it('waits on its branch when another client switches, and can be moved', async () => {
    const { page, ask, field, complaints } = await open();
    await ask('mutation { rewind(input: { chatId: "it", at: { message: "q" }, branchName: "other" }) { __typename } }');
    await expect.poll(() => messageItem(page, 'In Faro.').count()).toBe(0);
    const showMain = 'mutation { switchBranch(input: { chatId: "it", name: "main" }) { __typename } }';
    await field.fill('It is warmer in Funchal.');
    await ask(showMain);
    await messageItem(page, 'In Faro.').waitFor();
    await page.getByText('Unsent text on “other”').waitFor();
    expect(await field.inputValue()).toBe('');
    await ask('mutation { renameBranch(input: { chatId: "it", name: "other", newName: "another" }) { __typename } }');
    await page.getByText('Unsent text on “another”').waitFor();
    await page.reload();
    await page.getByText('Unsent text on “another”').waitFor();
    await page.getByRole('button', { name: 'Switch', exact: true }).click();
    await expect.poll(() => field.inputValue()).toBe('It is warmer in Funchal.');
    await expect.poll(() => page.getByText('Unsent text').count()).toBe(0);
    await ask(showMain);
    await page.getByRole('button', { name: 'Move here' }).click();
    expect(await field.inputValue()).toBe('It is warmer in Funchal.');
    await field.press('Enter');
    await messageItem(page, 'It is warmer in Funchal.').waitFor();
    await messageItem(page, 'In Faro.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('on a deleted branch can be moved to the shown one', async () => {
    const { page, ask, field, complaints } = await open();
    await field.fill('It is warmer in Funchal.');
    await ask('mutation { rewind(input: { chatId: "it", at: { message: "q" }, branchName: "other" }) { __typename } }');
    await page.getByText('Unsent text on “main”').waitFor();
    await ask('mutation { deleteBranch(input: { chatId: "it", name: "main" }) { __typename } }');
    await page.getByText('Unsent text', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Switch', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Move here' }).click();
    expect(await field.inputValue()).toBe('It is warmer in Funchal.');
    await expect.poll(() => page.getByText('Unsent text').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('is kept beside the texts of another tab, and the oldest of more than 50 texts is dropped', async () => {
    const { page, go, ask, field, openThread } = await open();
    const opened = page.waitForEvent('popup');
    await page.evaluate(() => void window.open(location.href.replace('/chats/it', '/chats/demo')));
    const other = await opened;
    await field.fill('Typed first');
    await other.getByLabel('Write a message').fill('Typed second');
    await field.pressSequentially('!');
    await go('/chats/demo/thread');
    await expect.poll(() => field.inputValue()).toBe('Typed second');
    const count = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('parley-typed')).length);
    expect(await count()).toBe(2);
    await page.evaluate(() => {
      for (let n = 0; n < 50; n++) localStorage.setItem(`parley-typed c${n} b`, JSON.stringify({ text: 'x', time: n }));
    });
    await ask('mutation { createChat(input: { id: "third" }) { __typename } }');
    await go('/chats/third/thread');
    await page.getByText('No messages yet.').waitFor();
    await field.fill('Typed third');
    expect(await count()).toBe(50);
    await openThread('it');
    expect(await field.inputValue()).toBe('Typed first!');
  });
});
