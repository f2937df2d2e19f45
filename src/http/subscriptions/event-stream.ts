/** The body of a stream of Server-Sent Events, as Yoga writes it, but a long answer in pieces instead of one text. */
import type { FetchAPI } from 'graphql-yoga';
import type { StreamedResult } from '../answers/answer.js';

const PING = Buffer.from(':\n\n');
const PING_INTERVAL_MS = 12_000;

export function eventStream(answers: AsyncIterator<StreamedResult>, fetchApi: FetchAPI): Response {
  let pings: NodeJS.Timeout | undefined;
  const body = new fetchApi.ReadableStream<Uint8Array>({
    start(controller) {
      // Some browsers ignore headers without a body.
      controller.enqueue(PING);
      pings = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(PING);
      }, PING_INTERVAL_MS);
    },
    async pull(controller) {
      try {
        const next = await answers.next();
        if (next.done === true) {
          clearInterval(pings);
          controller.enqueue(Buffer.from('event: complete\ndata:\n\n'));
          return controller.close();
        }
        for (const piece of ['event: next\ndata: ', ...(next.value.pieces ?? [JSON.stringify(next.value)]), '\n\n']) {
          controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
        }
      } catch (error) {
        clearInterval(pings);
        controller.error(error);
      }
    },
    async cancel() {
      clearInterval(pings);
      await answers.return?.();
    },
  });
  const headers = { 'content-type': 'text/event-stream', connection: 'keep-alive', 'cache-control': 'no-store' };
  return new fetchApi.Response(body, { status: 200, headers });
}
