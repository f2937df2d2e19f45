/**
 * Renders Markdown in a worker, one text at a time. A text that takes too long is abandoned; the page stays
 * responsive.
 */
import type { Versus } from './versus.js';

const RENDER_TIMEOUT_MS = 2_000;
/** Loading the script of the worker from the server takes longer than rendering. */
const LOAD_TIMEOUT_MS = 30_000;

/** The number of cached texts, for messages that scroll out of view and back. */
const MAX_KEPT_TEXTS = 200;

/** A text, and the version to which its words are compared. */
export interface Rendering {
  text: string;
  versus: Versus | null;
}

interface Job extends Rendering {
  signal: AbortSignal;
  resolve(html: string | null): void;
}

const kept = new Map<string, string | null>();
const queue: Job[] = [];
let isRunning = false;
let worker: Promise<Worker> | null = null;

/** The cached HTML of a text; null when it has none, undefined when it was not rendered. */
export function keptMarkdown(text: string, versus: Versus | null): string | null | undefined {
  return kept.get(keyOf({ text, versus }));
}

/** No text contains the first character. */
const keyOf = ({ text, versus }: Rendering): string =>
  versus === null ? text : `\0${JSON.stringify([text, versus.other, versus.isNewer, versus.isForced])}`;

/**
 * Queues a text for rendering.
 * @param signal removes the text from the queue: the promise then never settles
 * @returns null when the text cannot be rendered in time
 */
export function renderMarkdown(
  text: string,
  signal: AbortSignal,
  versus: Versus | null = null,
): Promise<string | null> {
  return new Promise((resolve) => {
    queue.push({ text, versus, signal, resolve });
    if (!isRunning) void run();
  });
}

async function run(): Promise<void> {
  isRunning = true;
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const { text, versus, signal, resolve } = job;
    // A comparison takes longer than the text alone.
    if (!signal.aborted)
      resolve((await htmlOf({ text, versus })) ?? (versus && (await htmlOf({ text, versus: null }))));
  }
  isRunning = false;
}

async function htmlOf(rendering: Rendering): Promise<string | null> {
  const key = keyOf(rendering);
  const known = kept.get(key);
  if (known !== undefined) return known;
  let html: string | null = null;
  try {
    const started = await (worker ??= startWorker());
    started.postMessage(rendering);
    html = await nextMessage(started, RENDER_TIMEOUT_MS);
  } catch {
    // The next text gets another worker.
    const failed = await worker?.catch(() => null);
    worker = null;
    // Its script was not loaded: the text is tried again when it is next shown.
    if (!failed) return null;
    failed.terminate();
  }
  kept.set(key, html);
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT_TEXTS) kept.delete(oldest);
  return html;
}

async function startWorker(): Promise<Worker> {
  const started = new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' });
  await nextMessage(started, LOAD_TIMEOUT_MS);
  return started;
}

function nextMessage(from: Worker, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The worker did not answer in time')), timeoutMs);
    from.onmessage = ({ data }: MessageEvent<string | null>) => {
      clearTimeout(timer);
      resolve(data);
    };
    from.onerror = () => {
      clearTimeout(timer);
      reject(new Error('The worker failed'));
    };
  });
}
