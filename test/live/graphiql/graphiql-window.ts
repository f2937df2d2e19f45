/** GraphiQL in a browser's window, on a server with the demo, and what hands do in it. */
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../../support/chromium.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

interface TabState {
  tabs: { operationName: string | null }[];
  activeTabIndex: number;
}

export const TABS = [
  ...['NewestChat', 'Search', 'Save', 'Edit', 'Arrows', 'Rewind', 'Switch'],
  ...['Compare', 'Checkpoint', 'Restore', 'Context', 'Follow'],
];

export const startWithDemo = () => startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), DEMO: 'on' });

/** A page that notes what it must not do. */
export async function openGraphiQL(browser: Browser) {
  const { url } = await startWithDemo();
  return { url, ...(await visit(await openPage(browser), url)) };
}

export async function visit(page: Page, url: string) {
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

export const editor = (page: Page) => page.locator('.graphiql-query-editor .view-lines').first();
export const result = (page: Page) => page.locator('.graphiql-response .view-lines').first();
export const execute = (page: Page) => page.locator('.graphiql-execute-button');

/** A tab that was just opened runs the operation of the one before for a moment; GraphiQL stores which one it is. */
export const knowsOperation = (page: Page, operation: string) =>
  page.waitForFunction((name) => {
    const stored = localStorage.getItem('graphiql:tabState');
    if (stored === null) return false;
    const { tabs, activeTabIndex } = JSON.parse(stored) as TabState;
    return tabs[activeTabIndex]?.operationName === name;
  }, operation);

export const tabsOf = (page: Page) => page.locator('.graphiql-tab-button');
export const activeTab = (page: Page) => page.locator('.graphiql-tab-active .graphiql-tab-button');

/** As a hand does, once, wherever the tab goes meanwhile. */
export const pressTab = async (page: Page, operation: string) => {
  const { x, y, width, height } = (await tabsOf(page).filter({ hasText: operation }).boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.up();
};

/** Opens the tab of an operation, and presses the button. */
export const run = async (page: Page, kind: 'query' | 'mutation' | 'subscription', operation: string) => {
  await pressTab(page, operation);
  await editor(page).getByText(`${kind} ${operation}(`).waitFor();
  await knowsOperation(page, operation);
  await execute(page).click();
};
