/**
 * The explorer's graph in Chromium: the time from its data to its first paint, and the main-thread time of its frames.
 */
import { chromium, type Browser, type Page } from 'playwright-core';
import { openDatabase } from '../../../src/database/opening/open.js';
import { chromiumPath } from '../../support/chromium-path.js';
import { writeForks } from './explorer.js';
import type { Ratio } from '../measuring/report.js';
import { withServer } from '../measuring/server.js';

/** Goals by number of messages. */
const SIZES = [
  { messages: 10_000, forks: 2_000, drawnMs: 500 },
  { messages: 100_000, forks: 10_000, drawnMs: 2_000 },
];
/** The number of pan and zoom steps, at most one per frame. */
const MOVES = 120;

/** @param url of a missing database, which is created */
export async function* measureGraph(url: string): AsyncGenerator<Ratio> {
  if (chromiumPath === undefined) {
    yield { what: 'The graph in Chromium', ratio: null, detail: 'no Chromium; CHROMIUM_PATH can name one' };
    return;
  }
  const { store } = await openDatabase({ url, migrate: true });
  for (const { messages, forks } of SIZES) await writeForks(store, `forks${forks}`, forks, messages);
  await store.close();
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    yield* await withServer(url, async (server) => {
      const ratios: Ratio[] = [];
      const root = new URL('/', server.url).href;
      for (const size of SIZES) ratios.push(...(await graphOf(browser, root, size)));
      ratios.push(await requestsToThread(browser, root));
      return ratios;
    });
  } finally {
    await browser.close();
  }
}

interface Seen {
  dataMs: number;
  drawnMs: number;
  tasks: number[];
}

/** Records when the outline arrived, when it was first drawn, and long tasks. */
function watch(): void {
  const seen: Seen = { dataMs: 0, drawnMs: 0, tasks: [] };
  Object.assign(globalThis, { seen });
  const { stroke, fillRect } = CanvasRenderingContext2D.prototype;
  const note = () => {
    if (seen.drawnMs === 0) seen.drawnMs = performance.now();
  };
  CanvasRenderingContext2D.prototype.stroke = function (this: CanvasRenderingContext2D) {
    note();
    Reflect.apply(stroke, this, []);
  };
  CanvasRenderingContext2D.prototype.fillRect = function (this: CanvasRenderingContext2D, ...rectangle) {
    note();
    fillRect.apply(this, rectangle);
  };
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
    buffered: true,
  });
}

const seenOn = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: Seen };
    const read = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const outline = read
      .filter(({ name, responseEnd }) => name.endsWith('/graphql') && responseEnd <= seen.drawnMs)
      .sort((one, other) => other.transferSize - one.transferSize)[0];
    return { ...seen, dataMs: outline?.responseEnd ?? 0 };
  });

async function graphOf(
  browser: Browser,
  root: string,
  { messages, forks, drawnMs }: (typeof SIZES)[number],
): Promise<Ratio[]> {
  const what = `the graph of ${messages.toLocaleString('en')} messages with ${forks.toLocaleString('en')} forks`;
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.addInitScript(watch);
  await page.goto(`${root}#/chats/forks${forks}/graph`);
  await page.waitForFunction(() => (globalThis as unknown as { seen: Seen }).seen.drawnMs > 0);
  const first = await seenOn(page);
  const canvas = page.getByRole('application');
  await canvas.focus();

  const frames: number[] = [];
  // Zoomed in, and zoomed out to the whole graph.
  for (const key of ['+', '0']) {
    await page.keyboard.press(key);
    frames.push(...(await framesWhile(browser, page, () => panAndZoom(page))));
  }
  const last = await seenOn(page);
  await page.close();
  const longest = Math.max(0, ...last.tasks.slice(first.tasks.length));
  const times = frames.sort((one, other) => one - other);
  return [
    {
      what: `${what}: drawn after its data`,
      ratio: first.drawnMs - first.dataMs,
      goal: drawnMs,
      unit: 'ms',
      detail: `${Math.round(first.drawnMs)} ms after the page was asked for; longest task till then ${Math.round(Math.max(0, ...first.tasks))} ms`,
    },
    {
      what: `${what}: main thread in a frame while it is panned and zoomed, near and from afar`,
      ratio: times[Math.floor(times.length / 2)] ?? null,
      goal: 10,
      unit: 'ms',
      detail: `median of ${times.length}; the 95th percentile ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} ms, traced`,
    },
    {
      what: `${what}: longest task after loading`,
      ratio: longest,
      goal: 200,
      unit: 'ms',
      detail: 'those of 50 ms and more',
    },
  ];
}

/** Sends one wheel or key event per frame. */
async function panAndZoom(page: Page): Promise<void> {
  await page.getByRole('application').evaluate(async (canvas, moves) => {
    for (let n = 0; n < moves; n++) {
      const turn = { deltaY: (n % 40 < 20 ? 1 : -1) * 30, ctrlKey: n % 4 > 1, bubbles: true, cancelable: true };
      canvas.dispatchEvent(new WheelEvent('wheel', turn));
      await new Promise(requestAnimationFrame);
    }
  }, MOVES);
}

interface TraceEvent {
  name: string;
  tid: number;
  pid: number;
  ts: number;
  dur?: number;
}

/** The main-thread time of each frame, in milliseconds. */
async function framesWhile(browser: Browser, page: Page, work: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await work();
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const fire = events.find(({ name }) => name === 'FireAnimationFrame');
  const ours = events.filter(({ pid, tid }) => pid === fire?.pid && tid === fire.tid);
  const starts = ours
    .flatMap(({ name, ts }) => (name === 'BeginCommitCompositorFrame' ? [ts] : []))
    .sort((a, b) => a - b);
  const tasks = ours.filter(({ name }) => name === 'RunTask');
  return starts.slice(1).map((start, n) => {
    const from = starts[n] ?? start;
    const within = tasks.filter(({ ts }) => ts >= from && ts < start);
    return within.reduce((sum, { dur = 0 }) => sum + dur, 0) / 1000;
  });
}

async function requestsToThread(browser: Browser, root: string): Promise<Ratio> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  let requests = 0;
  page.on('request', (request) => (requests += Number(new URL(request.url()).pathname === '/graphql')));
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => (requests += Number(String(payload).includes('"subscribe"')))),
  );
  await page.goto(root);
  await page.locator('.chats li a').first().click();
  await page.locator('.message-list li').first().waitFor();
  await page.close();
  return {
    what: 'requests to GraphQL from a cold load of / to the first thread on the screen',
    ratio: requests,
    goal: 5,
    unit: 'requests',
    detail: 'subscriptions are requests, too; of titled chats',
  };
}
