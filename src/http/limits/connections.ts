/** Connections: how many are open, how many one address may have, and whether there can be more. */
import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import { OpenCounts } from '../../limits/open-counts.js';

/** How long the log has no second line of a kind, in milliseconds: who opens connections does not fill it. */
const QUIET_MS = 60_000;

/** How often it is looked whether the process may open more, in milliseconds. */
const INTERVAL_MS = 1_000;

export interface ConnectionLimits {
  /** Connections that an address may have open at once; 0 for any number. */
  perAddress: number;
  /** Tells the address of one, as limits count it; null when it is not counted. */
  addressOf: (socket: Socket) => string | null;
  /** Takes a line about what goes on. */
  log: (line: string) => void;
}

/**
 * Closes what an address opens beyond its share, before anything is read of it: each one takes a descriptor, of which a
 * process has only so many, and when there are none nobody gets in.
 * @returns those that are open
 */
export function boundConnections(http: Server, { perAddress, addressOf, log }: ConnectionLimits): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const addresses = new OpenCounts(perAddress);
  const tell = seldom(log);
  http.on('connection', (socket) => {
    // One may come again, with a request that was put back on it: see other-upgrades.ts.
    if (open.has(socket)) return;
    const address = addressOf(socket);
    const release = address === null ? () => {} : addresses.open(address);
    if (release === null) {
      socket.destroy();
      tell(
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
  tellWhenFull(http, log);
  return open;
}

/** Tells when no connection can be accepted, and when they can be again. */
function tellWhenFull(http: Server, log: (line: string) => void): void {
  const tell = seldom(log);
  let isTold = false;
  const fail = ({ code }: NodeJS.ErrnoException) => {
    isTold ||= tell(`Connections cannot be accepted: the process can open no more of them, nor files (${code})`);
  };
  http.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept') fail(error);
  });
  // For want of descriptors libuv closes whatever comes, and tells nobody.
  const look = () => {
    try {
      closeSync(openSync(devNull, 'r'));
    } catch (error) {
      if (isFull(error)) fail(error);
      return;
    }
    if (isTold) log('Connections are accepted again');
    isTold = false;
  };
  http.once('listening', () => {
    // The connections keep the process, not this.
    const timer = setInterval(look, INTERVAL_MS).unref();
    http.once('close', () => clearInterval(timer));
  });
}

function isFull(error: unknown): error is NodeJS.ErrnoException {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** @returns what logs a line, unless it has logged one lately, and answers whether it has */
function seldom(log: (line: string) => void): (line: string) => boolean {
  let loggedAt = -Infinity;
  return (line) => {
    const now = performance.now();
    if (now - loggedAt < QUIET_MS) return false;
    loggedAt = now;
    log(line);
    return true;
  };
}
