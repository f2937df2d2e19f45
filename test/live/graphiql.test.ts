/** GraphiQL as people meet it: in a browser, from a server that has just been started. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, openPage, shareBrowser } from '../support/chromium.js';
import { startConfigured } from '../support/configured-server.js';
import { temporaryDatabaseUrl } from '../support/temporary-database.js';

interface TabState {
  tabs: { operationName: string | null }[];
  activeTabIndex: number;
}

const TABS = [
  ...['NewestChat', 'Search', 'Save', 'Edit', 'Arrows', 'Rewind', 'Switch'],
  ...['Compare', 'Checkpoint', 'Restore', 'Context', 'Follow'],
];

const startWithDemo = () => startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), DEMO: 'on' });

describe('GET /graphql', () => {
  async function get(url: string, headers: IncomingHttpHeaders) {
    const sent = request(url, { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  it('answers browsers with the whole page, compressed, allowed to talk to this server alone', async () => {
    const { url } = await startWithDemo();
    const { status, headers, body } = await get(url, { accept: 'text/html', 'accept-encoding': 'gzip' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
      etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    });
    const html = gunzipSync(body).toString();
    // Not toContain: nobody wants to read nine megabytes in the report.
    expect(['<title>Parley</title>', 'query NewestChat'].map((part) => html.includes(part))).toEqual([true, true]);

    const policy = new Map(
      headers['content-security-policy']!.toString()
        .split('; ')
        .map((directive) => {
          const [name, ...sources] = directive.split(' ');
          return [name, sources];
        }),
    );
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('connect-src')).toEqual(["'self'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    const hosts = [...policy.values()].flat().filter((source) => !/^('.*'|data:|blob:)$/.test(source));
    expect(hosts).toEqual([]);
  });

  it('sends the page once to a browser that keeps it', async () => {
    const { url } = await startWithDemo();
    const accept = 'text/html';
    const { headers } = await get(url, { accept });
    const again = await get(url, { accept, 'if-none-match': headers.etag });
    expect(again).toMatchObject({ status: 304, headers: { etag: headers.etag } });
    expect(again.body).toHaveLength(0);
    expect((await get(url, { accept, 'if-none-match': '"another"' })).status).toBe(200);
  });

  it('is left to queries where one is asked, or no page is wanted', async () => {
    const { url } = await startWithDemo();
    const query = encodeURIComponent('{ viewer { userId } }');
    const asked = await get(`${url}?query=${query}`, { accept: 'text/html, application/json' });
    expect(JSON.parse(asked.body.toString())).toEqual({ data: { viewer: { userId: 'local' } } });
    const { headers } = await get(url, { accept: 'application/json' });
    expect(headers['content-type']).not.toContain('text/html');
  });
});

describe.skipIf(chromiumPath === undefined)(`GraphiQL in Chromium${noChromium}`, { timeout: 120_000 }, () => {
  const browser = shareBrowser();

  /** A page that notes what it must not do. */
  async function openGraphiQL() {
    const { url } = await startWithDemo();
    return { url, ...(await visit(await openPage(browser()), url)) };
  }

  async function visit(page: Page, url: string) {
    const { origin, host } = new URL(url);
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on('request', (sent) => {
      const asked = sent.url();
      if (!asked.startsWith(`${origin}/`) && !/^(data|blob):/.test(asked)) foreign.push(asked);
    });
    page.on('websocket', (socket) => {
      if (socket.url() !== `ws://${host}/graphql`) foreign.push(socket.url());
    });
    // What the policy forbids is an error on the console too.
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    return { page, foreign, complaints };
  }

  const editor = (page: Page) => page.locator('.graphiql-query-editor .view-lines').first();
  const result = (page: Page) => page.locator('.graphiql-response .view-lines').first();
  const execute = (page: Page) => page.locator('.graphiql-execute-button');

  /** A tab that was just opened runs the operation of the one before for a moment; GraphiQL stores which one it is. */
  const knowsOperation = (page: Page, operation: string) =>
    page.waitForFunction((name) => {
      const stored = localStorage.getItem('graphiql:tabState');
      if (stored === null) return false;
      const { tabs, activeTabIndex } = JSON.parse(stored) as TabState;
      return tabs[activeTabIndex]?.operationName === name;
    }, operation);

  const tabsOf = (page: Page) => page.locator('.graphiql-tab-button');
  const activeTab = (page: Page) => page.locator('.graphiql-tab-active .graphiql-tab-button');

  /** As a hand does, once, wherever the tab goes meanwhile. */
  const pressTab = async (page: Page, operation: string) => {
    const { x, y, width, height } = (await tabsOf(page).filter({ hasText: operation }).boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.up();
  };

  /** Opens the tab of an operation, and presses the button. */
  const run = async (page: Page, kind: 'query' | 'mutation' | 'subscription', operation: string) => {
    await pressTab(page, operation);
    await editor(page).getByText(`${kind} ${operation}(`).waitFor();
    await knowsOperation(page, operation);
    await execute(page).click();
  };

  it('shows the demo at the press of a button, and has a tab for each of the everyday operations, which runs as it is', async () => {
    const { page, foreign, complaints } = await openGraphiQL();
    await editor(page).getByText('query NewestChat').waitFor();
    await execute(page).click();
    await result(page).getByText('"A weekend in Portugal"').first().waitFor();
    expect(await tabsOf(page).allTextContents()).toEqual(TABS);

    const everyday = [
      ['Save', 'SaveMessagesPayload'],
      ['Edit', 'SaveMessagesPayload'],
      ['Arrows', 'BranchPayload'],
      ['Rewind', 'BranchPayload'],
      ['Switch', 'BranchPayload'],
      ['Checkpoint', 'CheckpointPayload'],
      ['Restore', 'BranchPayload'],
    ] as const;
    for (const [operation, payload] of everyday) {
      await run(page, 'mutation', operation);
      await result(page).getByText(`"${payload}"`).waitFor();
    }
    const questions = [
      ['Search', '<mark>river</mark>'],
      ['Compare', 'A francesinha'],
      ['Context', '<role>'],
    ] as const;
    for (const [operation, found] of questions) {
      await run(page, 'query', operation);
      await result(page).getByText(found).first().waitFor();
    }
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('opens a tab at the first press of a mouse', async () => {
    const { page } = await openGraphiQL();
    await editor(page).getByText('query NewestChat').waitFor();
    await pressTab(page, 'Edit');
    await editor(page).getByText('mutation Edit(').waitFor();
  });

  it('has the same tabs when it is loaded again, with the same one open', async () => {
    const { page } = await openGraphiQL();
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

    // Without its address, as a bookmark opens it.
    await page.goto(page.url().replace(/\?.*/, ''));
    await editor(page).getByText('mutation Rewind(').waitFor();
    expect(await tabsOf(page).allTextContents()).toEqual(TABS);
  });

  it('has a tab that follows the branch, and shows what is saved on another page', async () => {
    const following = await openGraphiQL();
    await run(following.page, 'subscription', 'Follow');
    await result(following.page).getByText('"demo-food-answer"').first().waitFor();

    // In a window of its own, which remembers other tabs.
    const saving = await visit(await openPage(browser()), following.url);
    await run(saving.page, 'mutation', 'Save');
    await result(saving.page).getByText('"SaveMessagesPayload"').waitFor();

    await result(following.page).getByText('"And on a rainy day?"').first().waitFor();
    for (const { foreign, complaints } of [following, saving]) {
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });
});
