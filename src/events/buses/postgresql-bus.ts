/** Tells the processes on one PostgreSQL database of each other's changes by LISTEN and NOTIFY. */
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Bus, BusListener } from '../bus.js';
import { reconnectingBus, type BusConnection, type ConnectionEvents, type Pace } from './reconnecting-bus.js';

/** How long the name of a channel may be, in bytes. */
const CHANNEL_LENGTH = 63;

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload';

/**
 * The channel of those who work in a schema.
 * Schemas of which only the ends differ may come to share one: that wakes their readers needlessly, and does no harm.
 * @param schema of ASCII, where a character is a byte
 */
export function channelOf(schema: string): string {
  return `parley:${schema}`.slice(0, CHANNEL_LENGTH);
}

/**
 * A bus on one connection, which both listens and notifies.
 * @param settings of a connection to the server itself: behind a pooler that hands connections around, nothing is heard
 */
export function createPostgresqlBus(
  { settings, channel }: { settings: pg.ClientConfig; channel: string },
  listener: BusListener,
  pace?: Pace,
): Bus {
  return reconnectingBus('PostgreSQL', (events) => connect(settings, channel, events), listener, pace);
}

function connect(settings: pg.ClientConfig, channel: string, events: ConnectionEvents): BusConnection {
  const client = new pg.Client({ ...settings, application_name: 'parley bus' });
  // Also told of a connection that ends without one.
  client.on('error', events.onLost);
  client.on('notification', ({ payload }) => events.onPayload(payload ?? ''));
  const listen = async () => {
    await client.connect();
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  };
  return {
    listening: listen(),
    send: (payloads) => client.query(NOTIFY, [channel, payloads]),
    ping: () => client.query('SELECT 1'),
    destroy: () => destroy(client),
  };
}

/** As if the network had cut it: end() waits for one that connects, as long as that takes. */
function destroy(client: pg.Client): Promise<void> {
  // The driver has no other way, and its types leave this one out.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  return new Promise((resolve) => {
    if (stream.closed) return resolve();
    stream.once('close', () => resolve()).destroy();
  });
}
