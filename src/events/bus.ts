/**
 * Notifies the processes of one database of each other's changes. A bus publishes the version of a chat, the length of
 * a part of it, an id of a feature, after which readers read again, or that of an erased user. Sweeps find lost notifications (feeds.ts):
 * a bus never delays or fails a change.
 */
import type { PartChange } from '../conversation/change.js';

/** The log of a chat has this version, the seq of its newest event. */
export interface Wake {
  readonly chatId: string;
  readonly version: number;
}

/** Notifies a feature of a change of its object with this id. */
export interface FeatureWake {
  readonly noticeId: string;
}

export interface ErasureWake {
  readonly erasedUserId: string;
}

export type AnyWake = Wake | PartChange | FeatureWake | ErasureWake;

export interface Bus {
  /** The state of the connection; 'none' without a server to connect to. */
  readonly state: 'up' | 'down' | 'none';
  /** Notifies the other processes, and possibly this one. Never throws. */
  publish(wake: AnyWake): void;
  /** Closes its connections. No notifications follow. */
  close(): Promise<void>;
}

/** Receives the notifications of a bus. */
export interface BusListener {
  onWake(wake: AnyWake): void;
  /** Called after each connect: earlier notifications may be lost. */
  onConnected(): void;
  /** Receives a log line when the connection is lost or restored. */
  log(line: string): void;
}

/** The bus of a database with a single process. */
export const memoryBus: Bus = { state: 'none', publish: () => {}, close: () => Promise.resolve() };
