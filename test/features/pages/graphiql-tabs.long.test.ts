/** The tabs of GraphiQL, in a browser. */
import { describe, expect, it } from 'vitest';
import { freePort } from '../../support/server/free-port.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { chromiumPath, noChromium, openPage, shareBrowser } from '../../support/chromium.js';
import {
  activeTab,
  editor,
  execute,
  knowsOperation,
  openGraphiQL,
  pressTab,
  result,
  run,
  TABS,
  tabsOf,
  visit,
} from './graphiql-window.js';

describe.skipIf(chromiumPath === undefined)(`GraphiQL in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('restores its tabs and the open tab after a reload', async () => {
    const { page } = await openGraphiQL(browser());
    await editor(page).getByText('query NewestChat').waitFor();
    await knowsOperation(page, 'NewestChat');
    await page.reload();
    await editor(page).getByText('query NewestChat').waitFor();
    expect(await tabsOf(page).allTextContents()).toEqual(TABS);

    await pressTab(page, 'Rewind');
    await knowsOperation(page, 'Rewind');
    await page.reload();
    await editor(page).getByText('mutation Rewind(').waitFor();
    expect(await tabsOf(page).allTextContents()).toEqual(TABS);
    expect(await activeTab(page).textContent()).toBe('Rewind');

    // Open the page without parameters, as a bookmark does.
    await page.goto(page.url().replace(/\?.*/, ''));
    await editor(page).getByText('mutation Rewind(').waitFor();
    expect(await tabsOf(page).allTextContents()).toEqual(TABS);
  });

  it('opens a link with its variables, in a separate tab', async () => {
    const { url, page } = await openGraphiQL(browser());
    for (const id of ['demo', 'another']) {
      const query = 'query Linked($id: ID!) { chat(id: $id) { title } }';
      const asked = new URLSearchParams({ query, variables: JSON.stringify({ id }) });
      await page.goto(`${url}?${asked.toString()}`);
      await page.locator('.graphiql-editor-tool .view-lines').getByText(`"${id}"`).waitFor();
      await execute(page).click();
      await result(page)
        .getByText(id === 'demo' ? '"A weekend in Portugal"' : '"chat": null')
        .waitFor();
    }
    await pressTab(page, 'Rewind');
    await editor(page).getByText('mutation Rewind(').waitFor();
    expect(new URL(page.url()).searchParams.has('variables')).toBe(false);
  });

  it('has a tab that follows the branch, and shows saves of another page', async () => {
    const following = await openGraphiQL(browser());
    await run(following.page, 'subscription', 'Follow');
    await result(following.page).getByText('"demo-food-answer"').first().waitFor();

    // A separate window remembers other tabs.
    const saving = await visit(await openPage(browser()), following.url);
    await run(saving.page, 'mutation', 'Save');
    await result(saving.page).getByText('"SaveMessagesPayload"').waitFor();

    await result(following.page).getByText('"And on a rainy day?"').first().waitFor();
    for (const { foreign, complaints } of [following, saving]) {
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });

  it('keeps earlier results with their times, and follows again after a restart of the server', async () => {
    const databaseUrl = temporaryDatabaseUrl();
    const port = await freePort();
    const start = () => startConfigured({ DATABASE_URL: databaseUrl, DEMO: 'on', PORT: String(port) });
    const before = await start();
    const { page } = await visit(await openPage(browser()), before.url);
    await run(page, 'subscription', 'Follow');
    await result(page).getByText('"demo-food-answer"').first().waitFor();
    await result(page).getByText('"connection": "open"').waitFor();
    await before.stop();
    await result(page).getByText('connecting again').waitFor();
    await start();
    await result(page).getByText('"connection": "open"').waitFor();
    // The state before the restart, and the state after it.
    await expect.poll(() => result(page).getByText('"time"').count()).toBe(2);
  });

  it('keeps following while another tab is open, until it is stopped', async () => {
    const { url, page, complaints } = await openGraphiQL(browser());
    const save = async (text: string) => {
      const query = `mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }`;
      const variables = { input: { chatId: 'demo', messages: [{ name: 'user', content: { text } }] } };
      const body = JSON.stringify({ query, variables });
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    };
    await run(page, 'subscription', 'Follow');
    await result(page).getByText('"demo-food-answer"').first().waitFor();

    await run(page, 'query', 'Events');
    await result(page).getByText('"seq"').first().waitFor();
    await save('And by train?');
    await page.locator('.graphiql-execute-button[aria-label="Execute query (Ctrl-Enter)"]').waitFor();
    expect(await result(page).getByText('"connection"').count()).toBe(0);

    await pressTab(page, 'Follow');
    await result(page).getByText('"And by train?"').first().waitFor();
    await result(page).getByText('"connection": "open"').waitFor();
    expect(await result(page).getByText('"time"').count()).toBe(2);
    await save('And by bus?');
    await result(page).getByText('"And by bus?"').first().waitFor();

    const ended = page.waitForEvent('requestfailed');
    await execute(page).click();
    await ended;
    await pressTab(page, 'Events');
    await editor(page).getByText('query Events(').waitFor();
    await pressTab(page, 'Follow');
    await result(page).getByText('"And by bus?"').first().waitFor();
    await page.locator('.graphiql-execute-button[aria-label^="Execute"]').waitFor();
    expect(complaints).toEqual([]);
  });

  it('has a button for the history of executed operations', async () => {
    const { page } = await openGraphiQL(browser());
    await editor(page).getByText('query NewestChat').waitFor();
    await run(page, 'query', 'Search');
    await result(page).getByText('<mark>river</mark>').first().waitFor();
    await page.getByRole('button', { name: 'Show History' }).click();
    await page.locator('.graphiql-history-item-label').getByText('Search', { exact: true }).waitFor();
    // The builder of queries remains.
    await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).waitFor();
  });

  it('shows comments completely, beside its buttons', async () => {
    const { page } = await openGraphiQL(browser());
    await editor(page).getByText('query NewestChat').waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    for (const operation of TABS) {
      await pressTab(page, operation);
      await editor(page)
        .getByText(new RegExp(`(query|mutation|subscription)\\s${operation}\\b`))
        .waitFor();
      const buttons = await execute(page).boundingBox();
      const comments = editor(page).locator('.view-line', { hasText: /^#/ }).locator('> span');
      const ends = await comments.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
      expect(ends.length).toBeGreaterThan(0);
      expect([operation, Math.max(...ends) <= buttons!.x]).toEqual([operation, true]);
    }
  });
});
