/** Opens GraphiQL on a server with the demo in a browser, and presses its tabs and buttons. */
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../../support/chromium.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

interface TabState {
  tabs: { operationName: string | null }[];
  activeTabIndex: number;
}

export const TABS = [
  ...['NewestChat', 'Chats', 'Search', 'Message', 'Branches', 'Compare', 'Events', 'Users'],
  ...['Save', 'Edit', 'Arrows', 'Rewind', 'Switch', 'Checkpoint', 'Restore', 'Context', 'Follow'],
];

export const startWithDemo = () => startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), DEMO: 'on' });

/** A page that records policy violations and errors. */
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
  // A policy violation is an error on the console, too.
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

/** A new tab briefly runs the operation of the previous tab; GraphiQL stores the current one. */
export const knowsOperation = (page: Page, operation: string) =>
  page.waitForFunction((name) => {
    const stored = localStorage.getItem('graphiql:tabState');
    if (stored === null) return false;
    const { tabs, activeTabIndex } = JSON.parse(stored) as TabState;
    return tabs[activeTabIndex]?.operationName === name;
  }, operation);

export const tabsOf = (page: Page) => page.locator('.graphiql-tab-button');
export const activeTab = (page: Page) => page.locator('.graphiql-tab-active .graphiql-tab-button');

/** Presses the mouse once at the current position of a tab, even if the tab moves. */
export const pressTab = async (page: Page, operation: string) => {
  const tab = tabsOf(page).getByText(operation, { exact: true });
  await tab.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await tab.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.up();
};

/** Opens the tab of an operation, and presses the run button. */
export const run = async (page: Page, kind: 'query' | 'mutation' | 'subscription', operation: string) => {
  await pressTab(page, operation);
  await editor(page).getByText(`${kind} ${operation}(`).waitFor();
  await knowsOperation(page, operation);
  await execute(page).click();
};
