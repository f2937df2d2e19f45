/**
 * What tells the processes that serve one database of each other's changes. A bus only wakes the readers of the log and of
 * drafts: it carries which chat has which version, which draft which length, and nothing else. What it loses, a sweep finds (see feeds.ts), so it never
 * queues without bound, never makes a change wait, and never makes one fail.
 */

/** A chat's log has grown to this version, the seq of its newest event. */
export interface Wake {
  readonly chatId: string;
  readonly version: number;
}

/** Something has happened to a draft. */
export interface DraftWake {
  readonly chatId: string;
  readonly draftId: string;
  /** How many chunks it has, when it has grown; null for anything else. */
  readonly length: number | null;
}

export interface Bus {
  /** Whether it is connected; 'none' where there is nothing to connect to. */
  readonly state: 'up' | 'down' | 'none';
  /** Tells the other processes. It may tell this one too. Never throws. */
  publish(wake: Wake | DraftWake): void;
  /** Lets go of its connections. Nothing is told afterwards. */
  close(): Promise<void>;
}

/** Whom a bus tells. */
export interface BusListener {
  onWake(wake: Wake | DraftWake): void;
  /** The bus is connected, again or for the first time: what was told before may not have come. */
  onConnected(): void;
  /** One line for the log: that the connection was lost, or is back. */
  log(line: string): void;
}

/** The bus of a database that a single process serves: there is nobody to tell. */
export const memoryBus: Bus = { state: 'none', publish: () => {}, close: () => Promise.resolve() };
