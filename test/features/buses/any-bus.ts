/** The behaviour of every bus between processes, for any server. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AnyWake, Bus, BusListener } from '../../../src/events/bus.js';
import type { Pace } from '../../../src/features/buses/reconnecting-bus.js';
import { freePort } from '../../support/server/free-port.js';
import { startProxy } from '../../support/server/tcp-proxy.js';
import { startSink, watchResources, withPort } from './bus-network.js';

export interface BusServer {
  /** Contains a password. */
  readonly url: string;
  /** Publishes like another server. */
  publish(payload: string): Promise<unknown>;
  /** Ends the connections of every bus on the channel. */
  disconnectClients(): Promise<unknown>;
}

export interface OwnBusServer extends BusServer {
  stop(): Promise<void>;
  start(): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
}

/** A kind of bus, with the servers for its tests. */
export interface BusKind {
  name: string;
  open(url: string, channel: string, listener: BusListener, pace?: Pace): Bus;
  /** A server that other tests may share, with a separate channel. */
  server(channel: string): Promise<BusServer>;
  ownServer(channel: string): Promise<OwnBusServer>;
}

/** Short heartbeats with a long timeout for slow machines: tests advance the clock to reach it. */
const QUICK = { heartbeatMs: 50, timeoutMs: 60_000 };
/** Detects no failure during a test. */
const SLOW = { heartbeatMs: 600_000, timeoutMs: 600_000 };

/** Uses the real time, except where the test advances it. */
export function advanceableClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

/** Settles when a bus has given up and logged it, within its timeout. */
export const failureLogged = (lines: readonly string[], timeoutMs = QUICK.timeoutMs) =>
  expect
    .poll(() => {
      if (lines.length === 0) vi.advanceTimersByTime(timeoutMs);
      return lines.length;
    })
    .toBeGreaterThan(0);

const IDS = ['plain', `it's "quoted" \\ ; -- $1`, 'two\r\nlines\u0000\u2028', '👋🏽 é \ud800', '手'.repeat(255)];

export function describeBus(kind: BusKind, title = kind.name): void {
  const newChannel = () => `parley:${randomBytes(6).toString('hex')}`;

  /** A bus with its received notifications. */
  const open = (url: string, channel: string, pace: Pace = SLOW) => {
    const received = { wakes: [] as AnyWake[], connections: 0, lines: [] as string[] };
    const bus = kind.open(
      url,
      channel,
      {
        onWake: (wake) => received.wakes.push(wake),
        onConnected: () => received.connections++,
        log: (line) => received.lines.push(line),
      },
      pace,
    );
    onTestFinished(() => bus.close());
    const connections = (count: number) => expect.poll(() => received.connections).toBe(count);
    return { bus, received, connections };
  };
  const openTwo = async (url: string, channel: string, pace?: Pace) => {
    const pair = [open(url, channel, pace), open(url, channel, pace)] as const;
    for (const { connections } of pair) await connections(1);
    return pair;
  };
  type Opened = ReturnType<typeof open>;

  const deliver = async (from: Opened, to: Opened, wake: AnyWake) => {
    from.bus.publish(wake);
    await expect.poll(() => to.received.wakes).toContainEqual(wake);
  };

  describe(title, () => {
    it('notifies the other side of any chat id', async () => {
      const channel = newChannel();
      const [one, other] = await openTwo((await kind.server(channel)).url, channel);
      for (const [version, chatId] of IDS.entries()) {
        await deliver(one, other, { chatId, version });
        await deliver(other, one, { chatId, version: version + 1_000 });
        await deliver(one, other, { chatId, partId: chatId, length: version });
        await deliver(other, one, { chatId: 'c', partId: chatId, length: null });
        await deliver(one, other, { noticeId: chatId });
      }
      expect([...one.received.lines, ...other.received.lines]).toEqual([]);
    });

    it('ignores other messages', async () => {
      const channel = newChannel();
      const { url, publish } = await kind.server(channel);
      const [one, other] = await openTwo(url, channel);
      for (const payload of [
        'hello',
        '',
        '{}',
        '["a","1"]',
        '["a","b","1"]',
        '["a",1,1]',
        '[null,1]',
        'x'.repeat(7_000),
      ])
        await publish(payload);
      await deliver(one, other, { chatId: 'a', version: 1 });
      expect(other.received.wakes).toEqual([{ chatId: 'a', version: 1 }]);
    });

    const outages: [string, (channel: string) => Promise<{ url: string; out(): unknown; back(): unknown }>][] = [
      [
        'has disconnected its clients',
        async (channel) => {
          const { url, disconnectClients } = await kind.server(channel);
          return { url, out: disconnectClients, back: () => {} };
        },
      ],
      [
        'was stopped and started',
        async (channel) => {
          const { url, stop, start } = await kind.ownServer(channel);
          return { url, out: stop, back: start };
        },
      ],
      [
        'was frozen',
        async (channel) => {
          const { url, freeze, thaw } = await kind.ownServer(channel);
          return { url, out: freeze, back: thaw };
        },
      ],
      [
        'was reached through a network that dropped all data',
        async (channel) => {
          const url = new URL((await kind.server(channel)).url);
          const { port, swallow, restore } = await startProxy({ host: url.hostname, port: Number(url.port) });
          url.port = String(port);
          const back = () => {
            restore();
            // Clients that connect meanwhile never receive anything.
            vi.advanceTimersByTime(QUICK.timeoutMs);
          };
          return { url: url.href, out: swallow, back };
        },
      ],
    ];
    it.each(outages)('continues after the server %s, and logs two lines', async (how, prepare) => {
      const channel = newChannel();
      const { url, out, back } = await prepare(channel);
      advanceableClock();
      const pair = await openTwo(url, channel, how === 'has disconnected its clients' ? SLOW : QUICK);
      await out();
      for (const { received } of pair) await failureLogged(received.lines);
      await back();
      for (const { connections } of pair) await connections(2);
      await deliver(pair[0], pair[1], { chatId: 'a', version: 1 });
      await deliver(pair[1], pair[0], { chatId: 'a', version: 2 });
      for (const { received } of pair) {
        expect(received.lines).toEqual([
          expect.stringMatching(`^The bus on ${kind.name} is disconnected and retries: .+`),
          `The bus on ${kind.name} is connected`,
        ]);
      }
    });

    it('starts without a server, logs this once, and connects when there is one', async () => {
      const channel = newChannel();
      const { url, stop, start } = await kind.ownServer(channel);
      const observer = open(url, channel);
      await observer.connections(1);
      await stop();
      const early = open(url, channel);
      early.bus.publish({ chatId: 'a', version: 1 });
      early.bus.publish({ chatId: 'a', version: 2 });
      await expect.poll(() => early.received.lines).toEqual([expect.stringContaining('ECONNREFUSED')]);
      await start();
      await early.connections(1);
      expect(early.received.lines).toHaveLength(2);
      await observer.connections(2);
      await deliver(early, observer, { chatId: 'b', version: 1 });
    });

    it('logs a missing connection once, for any number of attempts', async () => {
      const channel = newChannel();
      const sink = await startSink({ disconnect: true });
      const { received } = open(withPort((await kind.server(channel)).url, sink.port), channel);
      await expect.poll(sink.count).toBeGreaterThan(3);
      expect(received.lines).toHaveLength(1);
    });

    it('holds 10,000 of the 100,000 chats that change while the server is frozen', async () => {
      const channel = newChannel();
      const { url, freeze, thaw } = await kind.ownServer(channel);
      const observer = open(url, channel, SLOW);
      advanceableClock();
      const { bus, received, connections } = open(url, channel, QUICK);
      await Promise.all([observer.connections(1), connections(1)]);
      await freeze();
      for (let version = 0; version < 100_000; version++) bus.publish({ chatId: `c${version}`, version });
      await failureLogged(received.lines);
      expect(received.lines).toHaveLength(1);
      thaw();
      await expect.poll(() => observer.received.wakes.at(-1)).toEqual({ chatId: 'c99999', version: 99_999 });
      // The first send was running when the server froze.
      const versions = observer.received.wakes.flatMap((wake) => ('version' in wake ? [wake.version] : []));
      const delivered = versions.filter((version) => version > 0);
      expect(delivered).toEqual(Array.from({ length: 10_000 }, (_, n) => 90_000 + n));
    });

    it('abandons a connection that does not acknowledge sends, and uses another one', async () => {
      const channel = newChannel();
      const { url, freeze, thaw } = await kind.ownServer(channel);
      advanceableClock();
      const { bus, received, connections } = open(url, channel, { ...QUICK, heartbeatMs: SLOW.heartbeatMs });
      await connections(1);
      await freeze();
      bus.publish({ chatId: 'a', version: 1 });
      await failureLogged(received.lines);
      expect(received.lines).toEqual([expect.stringMatching(/no answer for 60000 ms|timed out/)]);
      thaw();
      await connections(2);
    });

    const states: [string, (channel: string) => Promise<{ url: string; until(opened: Opened): Promise<unknown> }>][] = [
      [
        'connected',
        async (channel) => ({ url: (await kind.server(channel)).url, until: ({ connections }) => connections(1) }),
      ],
      [
        'trying again',
        async (channel) => {
          const url = withPort((await kind.server(channel)).url, await freePort());
          return { url, until: ({ received }) => expect.poll(() => received.lines.length).toBe(1) };
        },
      ],
      [
        'connecting through a network that drops all data',
        async (channel) => {
          const sink = await startSink();
          return { url: withPort((await kind.server(channel)).url, sink.port), until: () => sink.connected };
        },
      ],
      [
        'publishing to a server that is frozen',
        async (channel) => {
          const { url, freeze } = await kind.ownServer(channel);
          const until = async ({ bus, connections }: Opened) => {
            await connections(1);
            await freeze();
            for (let version = 0; version < 100; version++) bus.publish({ chatId: `c${version}`, version });
          };
          return { url, until };
        },
      ],
      ['not yet begun', async (channel) => ({ url: (await kind.server(channel)).url, until: async () => {} })],
    ];
    it.each(states)('closes all sockets and timers while %s', async (state, prepare) => {
      const channel = newChannel();
      const { url, until } = await prepare(channel);
      const left = watchResources();
      // With this pace, a close that waited for an acknowledgement would take ten minutes.
      const opened = open(url, channel, SLOW);
      await until(opened);
      if (state !== 'not yet begun') expect(left()).not.toEqual([]);
      await opened.bus.close();
      await expect.poll(left).toEqual([]);
      const { lines } = opened.received;
      opened.bus.publish({ chatId: 'late', version: 1 });
      await opened.bus.close();
      await new Promise(setImmediate);
      expect(opened.received.lines).toBe(lines);
      expect(left()).toEqual([]);
    });

    it('logs no password, whether wrong or right', async () => {
      const channel = newChannel();
      const url = new URL((await kind.ownServer(channel)).url);
      expect(url.password).not.toBe('');
      url.password = 'wrong-password';
      const { received } = open(url.href, channel);
      await expect.poll(() => received.lines).toHaveLength(1);
      expect(received.lines[0]).toMatch(/password/i);
      expect(received.lines[0]).not.toContain('wrong-password');
    });
  });
}
