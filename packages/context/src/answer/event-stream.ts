/** Server-Sent Events as the AI SDK's pages read them. */
import { isRecord } from '../record.js';

/** How much a page may leave unread until its response ends; the answer is written all the same, and a GET resumes it. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

/** The writing end of a response. */
export interface EventSink {
  /** Sends a chunk, unless the page has left. */
  send(chunk: unknown): void;
  /** Ends the response. */
  end(): void;
  /** Aborted when the page has left. */
  readonly signal: AbortSignal;
}

/**
 * A response of events.
 * @param run sends them; it is not awaited, and settles by itself
 */
export function eventStream(run: (sink: EventSink) => void, headers: Record<string, string> = {}): Response {
  const encoder = new TextEncoder();
  const left = new AbortController();
  let timer: ReturnType<typeof setInterval> | undefined;
  const leave = () => {
    clearInterval(timer);
    left.abort();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const put = (text: string) => {
          if (left.signal.aborted) return;
          if ((controller.desiredSize ?? 0) < -MAX_UNREAD_BYTES) {
            leave();
            controller.error(new Error(`The page has left ${MAX_UNREAD_BYTES} bytes unread`));
          } else controller.enqueue(encoder.encode(text));
        };
        timer = setInterval(() => put(': keep-alive\n\n'), KEEP_ALIVE_MS);
        const end = () => {
          if (left.signal.aborted) return;
          put('data: [DONE]\n\n');
          leave();
          controller.close();
        };
        run({ send: (chunk) => isShown(chunk) && put(`data: ${JSON.stringify(chunk)}\n\n`), end, signal: left.signal });
      },
      cancel: leave,
    },
    // Not ByteLengthQueuingStrategy, which Vercel's Edge Runtime lacks.
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
      ...headers,
    },
  });
}

/** Pages of `ai` 6 refuse the approval that they have sent themselves. */
function isShown(chunk: unknown): boolean {
  return !isRecord(chunk) || chunk['type'] !== 'tool-approval-response';
}
