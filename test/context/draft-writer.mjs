/**
 * A route handler's process: streams a message to its standard output and to Parley, or continues the draft of a killed process.
 * It writes one word per millisecond, until it is killed.
 */
import { ContextEngine, RemoteStore } from '@parley/context';

const [, , url, count, takesUp] = process.argv;
const store = new RemoteStore({ url });
const context = new ContextEngine({ store, chatId: 'c', userId: 'local' });

async function* words(from) {
  for (let n = from; n < Number(count); n++) {
    yield { type: 'text-delta', id: 't', delta: `${n} ` };
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function* source({ chunks }) {
  if (chunks.length === 0) {
    yield { type: 'start' };
    yield { type: 'text-start', id: 't' };
  }
  yield* words(Math.max(0, chunks.length - 2));
  yield { type: 'text-end', id: 't' };
  yield { type: 'finish' };
}

const stream = await context.stream(source, { id: 'd', takeUp: takesUp === 'takeUp', idleTimeout: 10 });
for await (const chunk of stream) process.stdout.write(`${JSON.stringify(chunk)}\n`);
