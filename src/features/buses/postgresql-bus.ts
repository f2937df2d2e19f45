/** Notifies the processes of one PostgreSQL database with LISTEN and NOTIFY. */
import { Socket } from 'node:net';
import pg from 'pg';
import type { Bus, BusListener } from '../../events/bus.js';
import { reconnectingBus, type BusConnection, type ConnectionEvents, type Pace } from './reconnecting-bus.js';

/** Maximum bytes of a channel name. */
const CHANNEL_LENGTH = 63;

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload';

/**
 * The channel of a schema. Long names with the same beginning share a channel, which only wakes readers needlessly.
 * @param schema of ASCII, where a character is a byte
 */
export function channelOf(schema: string): string {
  return `parley:${schema}`.slice(0, CHANNEL_LENGTH);
}

/**
 * A bus on one connection, which both listens and notifies.
 * @param settings of a direct connection: transaction poolers deliver no notifications
 */
export function createPostgresqlBus(
  { settings, channel }: { settings: pg.ClientConfig; channel: string },
  listener: BusListener,
  pace?: Pace,
): Bus {
  return reconnectingBus('PostgreSQL', (events) => connect(settings, channel, events), listener, pace);
}

function connect(settings: pg.ClientConfig, channel: string, events: ConnectionEvents): BusConnection {
  // end() waits for a pending connect, so the socket is destroyed directly.
  const socket = new Socket();
  const client = new pg.Client({ ...settings, application_name: 'parley bus', stream: () => socket });
  // Also emitted for a connection that ends without an error.
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
    destroy: () => destroyed(socket),
  };
}

function destroyed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve();
    socket.once('close', () => resolve()).destroy();
  });
}
