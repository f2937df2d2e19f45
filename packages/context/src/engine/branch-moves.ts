import { invalid, type ContextError } from '../errors.js';
import { branchNotFound, checkpointNotFound, messageNotFound } from '../store/context-store.js';
import {
  toBranchInfo,
  toCheckpointInfo,
  type BranchData,
  type BranchInfo,
  type CheckpointInfo,
} from '../store/store-data.js';
import type { EngineState } from './engine-state.js';

/** The branches and checkpoints of an engine's chat: creates them, and moves the engine between them. */
export class BranchMoves {
  constructor(private readonly state: EngineState) {}

  rewind(messageId: string): Promise<BranchInfo> {
    return this.#moveTo(
      () => messageNotFound(messageId),
      () => this.#newBranch(messageId, true),
    );
  }

  btw(): Promise<BranchInfo> {
    return this.state.inTurn(async () => {
      const headMessageId = await this.#head();
      if (headMessageId === null) throw invalid('Cannot create btw branch: no messages in conversation');
      return toBranchInfo(await this.#newBranch(headMessageId, false));
    });
  }

  switchBranch(name: string): Promise<BranchInfo> {
    const { store, chatId } = this.state;
    return this.#moveTo(
      () => branchNotFound(name, chatId),
      () => store.setActiveBranch(chatId, name),
    );
  }

  checkpoint(name: string): Promise<CheckpointInfo> {
    const { store, chatId, inTurn } = this.state;
    return inTurn(async () => {
      const messageId = await this.#head();
      if (messageId === null) throw invalid('Cannot create checkpoint: no messages in conversation');
      return toCheckpointInfo(await store.createCheckpoint({ chatId, name, messageId }));
    });
  }

  restore(name: string): Promise<BranchInfo> {
    const { store, chatId } = this.state;
    const notFound = () => checkpointNotFound(name, chatId);
    return this.#moveTo(notFound, async () => {
      const checkpoint = await store.getCheckpoint(chatId, name);
      if (checkpoint == null) throw notFound();
      return this.#newBranch(checkpoint.messageId, true);
    });
  }

  /** The current head; null also for a missing chat. */
  async #head(): Promise<string | null> {
    return (await this.state.position.current())?.headMessageId ?? null;
  }

  #newBranch(headMessageId: string, isActive: boolean): Promise<BranchData> {
    const { store, chatId } = this.state;
    return store.createBranch({ chatId, headMessageId, isActive });
  }

  /**
   * Moves the engine to the branch that a call returns, and drops the messages that are pending now.
   * @param notFound the error for a missing chat
   */
  #moveTo(notFound: () => ContextError, call: () => Promise<BranchData>): Promise<BranchInfo> {
    const { pending, position, inTurn } = this.state;
    const dropped = pending.snapshot();
    return inTurn(async () => {
      if ((await position.find()) === null) throw notFound();
      const branch = await call();
      pending.drop(dropped);
      position.moveTo(branch);
      return toBranchInfo(branch);
    });
  }
}
