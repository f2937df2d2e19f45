import type { PendingList } from './pending-list.js';
import type { ContextStore } from '../store/context-store.js';
import type { Position } from './position.js';

/** The parts that all calls of an engine share. */
export interface EngineState {
  readonly store: ContextStore;
  readonly chatId: string;
  readonly position: Position;
  readonly pending: PendingList;
  /** Runs a call after the calls before it. */
  readonly inTurn: <T>(call: () => Promise<T>) => Promise<T>;
}
