/**
 * Renders Markdown in a worker, one text at a time. A text that takes too long is abandoned; the page stays
 * responsive.
 */

const RENDER_TIMEOUT_MS = 2_000;
/** Loading the script of the worker from the server takes longer than rendering. */
const LOAD_TIMEOUT_MS = 30_000;

/** The number of cached texts, for messages that scroll out of view and back. */
const MAX_KEPT_TEXTS = 200;

interface Job {
  text: string;
  signal: AbortSignal;
  resolve(html: string | null): void;
}

const kept = new Map<string, string | null>();
const queue: Job[] = [];
let isRunning = false;
let worker: Promise<Worker> | null = null;

/** The cached HTML of a text; null when it has none, undefined when it was not rendered. */
export function keptMarkdown(text: string): string | null | undefined {
  return kept.get(text);
}

/**
 * Queues a text for rendering.
 * @param signal removes the text from the queue: the promise then never settles
 * @returns null when the text cannot be rendered in time
 */
export function renderMarkdown(text: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    queue.push({ text, signal, resolve });
    if (!isRunning) void run();
  });
}

async function run(): Promise<void> {
  isRunning = true;
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const { text, signal, resolve } = job;
    if (!signal.aborted) resolve(await htmlOf(text));
  }
  isRunning = false;
}

async function htmlOf(text: string): Promise<string | null> {
  const known = kept.get(text);
  if (known !== undefined) return known;
  let html: string | null = null;
  try {
    const started = await (worker ??= startWorker());
    started.postMessage(text);
    html = await nextMessage(started, RENDER_TIMEOUT_MS);
  } catch {
    // The next text gets another worker.
    const failed = await worker?.catch(() => null);
    worker = null;
    // Its script was not loaded: the text is tried again when it is next shown.
    if (!failed) return null;
    failed.terminate();
  }
  kept.set(text, html);
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
