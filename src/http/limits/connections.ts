/** Limits the connections of each address, and logs when the process cannot open more. */
import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import { OpenCounts } from '../../limits/open-counts.js';
import { throttledLog } from '../../limits/throttled-log.js';

/** Milliseconds between checks whether the process can open more descriptors. */
const INTERVAL_MS = 1_000;

export interface ConnectionLimits {
  /** Connections that an address may have open at once; 0 for no limit. */
  perAddress: number;
  /** Returns the address of a connection as limits count it; null when it is not counted. */
  addressOf: (socket: Socket) => string | null;
  log: (line: string) => void;
}

/**
 * Closes the connections of an address beyond its limit before reading from them: each takes a descriptor, and without
 * free descriptors no client can connect.
 * @returns the open connections
 */
export function boundConnections(http: Server, { perAddress, addressOf, log }: ConnectionLimits): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const addresses = new OpenCounts(perAddress);
  const throttled = throttledLog(log);
  http.on('connection', (socket) => {
    // A connection can be emitted twice: see http-server.ts.
    if (open.has(socket)) return;
    const address = addressOf(socket);
    const release = address === null ? () => {} : addresses.open(address);
    if (release === null) {
      socket.destroy();
      throttled(
        `Connections are refused: ${address} has ${perAddress} open, and MAX_CONNECTIONS_PER_ADDRESS allows no more`,
      );
      return;
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      release();
    });
  });
  logWhenFull(http, log);
  return open;
}

/** Logs when no connection can be accepted, and when that ends. */
function logWhenFull(http: Server, log: (line: string) => void): void {
  const throttled = throttledLog(log);
  let isLogged = false;
  const fail = ({ code }: NodeJS.ErrnoException) => {
    isLogged ||= throttled(`Connections cannot be accepted: the process can open no more of them, nor files (${code})`);
  };
  http.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept') fail(error);
  });
  // Without descriptors libuv closes new connections silently.
  const check = () => {
    try {
      closeSync(openSync(devNull, 'r'));
    } catch (error) {
      if (isFull(error)) fail(error);
      return;
    }
    if (isLogged) log('Connections are accepted again');
    isLogged = false;
  };
  http.once('listening', () => {
    // Only connections must keep the process alive.
    const timer = setInterval(check, INTERVAL_MS).unref();
    http.once('close', () => clearInterval(timer));
  });
}

function isFull(error: unknown): error is NodeJS.ErrnoException {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}
