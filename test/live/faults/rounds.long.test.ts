/** Thousands of subscriptions that start and end in six ways, and leave no resources. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { SharedSubscriptions } from '../../../src/http/subscriptions/shared-subscriptions.js';
import { createServer } from '../../../src/server.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { FollowEvents, FollowHead } from './subscriptions.js';

/** Concurrent subscriptions, and repetitions. */
const TOGETHER = 50;
const TIMES = 17;

/** Turns of the event loop between two checks: a check is slow, and delays other work. */
const TURNS = 100;

const EVENTS = FollowEvents.toString();
const HEAD = FollowHead.toString();

/** A socket whose operations the test begins and ends individually. */
class Rounds {
  readonly #answers = new Map<string, (isEvent: boolean) => void>();
  #ids = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (message: Buffer) => {
      const { id = '', payload } = JSON.parse(message.toString()) as { id?: string; payload?: { data?: unknown } };
      this.#answers.get(id)?.(payload?.data != null);
    });
  }

  static async open(url: string): Promise<Rounds> {
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
    await once(socket, 'open');
    const acknowledged = once(socket, 'message');
    socket.send('{"type":"connection_init"}');
    await acknowledged;
    return new Rounds(socket);
  }

  /** @returns its id, and whether the first answer is an event, and no error */
  begin(query: string, variables: object): { id: string; isEvent: Promise<boolean> } {
    const id = String(++this.#ids);
    this.#send({ id, type: 'subscribe', payload: { query, variables } });
    return {
      id,
      isEvent: new Promise((resolve) => {
        this.#answers.set(id, (isEvent) => {
          this.#answers.delete(id);
          resolve(isEvent);
        });
      }),
    };
  }

  end(id: string): void {
    this.#answers.delete(id);
    this.#send({ id, type: 'complete' });
  }

  async close(): Promise<void> {
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }

  cut(): void {
    this.socket.terminate();
  }

  #send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
}

/** Counts the server's present and starting followers. A spy would retain all its calls. */
function countFollowers(): () => { clients: number; groups: number; coming: number } {
  const { prototype } = SharedSubscriptions;
  const { follow } = prototype;
  let subscriptions: SharedSubscriptions | undefined;
  let coming = 0;
  prototype.follow = async function (...operation) {
    // oxlint-disable-next-line typescript/no-this-alias -- the test has no other access to the instance
    subscriptions = this;
    coming++;
    return follow.apply(this, operation).finally(() => coming--);
  };
  onTestFinished(() => void (prototype.follow = follow));
  return () => ({ clients: 0, groups: 0, ...subscriptions?.size, coming });
}

/** A way to start and end many subscriptions at once. */
type Way = (url: string, chatId: string) => Promise<void>;

const times = <T>(make: (n: number) => T) => Array.from({ length: TOGETHER }, (_, n) => make(n));

const WAYS: Readonly<Record<string, Way>> = {
  async 'are ended before their first answer'(url, chatId) {
    const socket = await Rounds.open(url);
    for (const { id } of times(() => socket.begin(HEAD, { chatId }))) socket.end(id);
    await socket.close();
  },
  async 'are ended after an answer'(url, chatId) {
    const socket = await Rounds.open(url);
    for (const { id, isEvent } of times((n) => socket.begin(n % 2 ? EVENTS : HEAD, { chatId, after: 0 }))) {
      expect(await isEvent).toBe(true);
      socket.end(id);
    }
    await socket.close();
  },
  async 'end with their socket'(url, chatId) {
    const socket = await Rounds.open(url);
    await Promise.all(times(() => socket.begin(HEAD, { chatId }).isEvent));
    await socket.close();
  },
  async 'are cut off with their socket'(url, chatId) {
    const socket = await Rounds.open(url);
    const [first] = times((n) => socket.begin(EVENTS, { chatId, after: n % 3 }));
    await first!.isEvent;
    socket.cut();
  },
  async 'are refused'(url, chatId) {
    const socket = await Rounds.open(url);
    const refusals = times((n) => {
      if (n % 4 === 0) return socket.begin(EVENTS, { chatId: `no chat ${n}` });
      if (n % 4 === 1) return socket.begin('subscription { nothing }', {});
      if (n % 4 === 2) return socket.begin(HEAD, { chatId, branch: 'no branch' });
      return socket.begin(EVENTS, { chatId, after: 1_000_000 });
    });
    expect(await Promise.all(refusals.map(({ isEvent }) => isEvent))).toEqual(times(() => false));
    await socket.close();
  },
  async 'end with their stream'(url, chatId) {
    await Promise.all(
      times(async (n) => {
        const going = new AbortController();
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
          body: JSON.stringify({ query: n % 2 ? EVENTS : HEAD, variables: { chatId, after: 0 } }),
          signal: going.signal,
        });
        if (n % 3 === 0) await response.body!.getReader().read();
        going.abort();
      }),
    );
  },
};

const NO_CLIENTS = { clients: 0, groups: 0, coming: 0 };

/** Active resources of the process in addition to those in `before`. */
function moreThan(before: readonly string[]): string[] {
  const usual = [...before];
  return process.getActiveResourcesInfo().filter((name) => {
    const place = usual.indexOf(name);
    if (place >= 0) usual.splice(place, 1);
    return place < 0 && name !== 'Immediate';
  });
}

/** Settles when an expectation is met. Uses no timer, because the expectations count timers. */
async function eventually(expectation: () => void): Promise<void> {
  for (const start = Date.now(); ;) {
    for (let n = 0; n < TURNS; n++) await nextTurn();
    try {
      return expectation();
    } catch (error) {
      if (Date.now() - start > PATIENCE_MS) throw error;
    }
  }
}

it.each(Object.entries(WAYS))(
  `${TIMES * TOGETHER} subscriptions that %s leave no timer, connection or follower`,
  async (_name, openAndClose) => {
    const followers = countFollowers();
    const unexpected: unknown[] = [];
    const logError = (_id: string, error: unknown) => void unexpected.push(error);
    const server = await createServer({ databaseUrl: ':memory:', demo: true, port: 0, shutdownTimeoutMs: 0, logError });
    onTestFinished(() => server.stop());
    const url = await server.start();
    const before = process.getActiveResourcesInfo();
    for (let n = 0; n < TIMES; n++) await openAndClose(url, 'demo');
    await eventually(() => expect([followers(), moreThan(before)]).toEqual([NO_CLIENTS, []]));
    expect(unexpected).toEqual([]);
  },
);
