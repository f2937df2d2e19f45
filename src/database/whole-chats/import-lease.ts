/** The lease of an import in several transactions: a row of chat_imports, renewed by each transaction. */
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { ChangedMeanwhileError, ImportUnderWayError } from '../../conversation/errors.js';
import { LEASE_MS, type OpenImport } from '../../conversation/change.js';
import type { Chat } from '../../conversation/model.js';
import { paced } from '../../scheduler/lock-pacing.js';
import { DELETED_OWNER } from '../dialects/base/fragments.js';
import type { Connection, Transaction } from '../connection/connection.js';
import { importOf } from '../writing/open-import.js';
import { removals } from '../removals.js';

/** Milliseconds between two checks of another import's lease. */
const POLL_MS = 250;

export class ImportLease {
  readonly #holder = newId();
  #renewedAt = 0;

  constructor(
    private readonly connection: Connection,
    private readonly chat: Chat,
  ) {}

  /**
   * Waits until another import's lease ends, unless it is renewed.
   * @returns whether the hidden chat is new or from an earlier import of the same user; null when the id is taken
   * @throws ImportUnderWayError
   */
  async take(): Promise<'new' | 'begun' | null> {
    const { finishRemovals, removeBlocking } = await removals();
    await finishRemovals(this.connection);
    for (let hasWaited = false; ;) {
      const other = await this.#open();
      if (other === null) {
        if (await this.#begin()) return 'new';
        const isFreed = await removeBlocking(this.connection, { chat: this.chat, messages: [] });
        if (!isFreed && (await this.#open()) === null) return null;
      } else if (other.afterSeq !== null) return null;
      else if (other.expiresAt < Date.now()) {
        if (await this.#takeOver()) return 'begun';
      } else if (hasWaited) throw new ImportUnderWayError(this.chat.id);
      else {
        await this.#waitFor(other);
        hasWaited = true;
      }
    }
  }

  /**
   * One transaction of the import.
   * @param connection one with other time limits
   * @throws ChangedMeanwhileError when the lease was lost
   */
  async step<T>(work: (tx: Transaction) => Promise<T>, connection = this.connection): Promise<T> {
    const { id } = this.chat;
    const renewing = async (tx: Transaction) => {
      const renewed = await tx.run(this.connection.sql.renewImport(id, this.#holder, Date.now() + LEASE_MS));
      if (renewed === 0) throw new ChangedMeanwhileError(id);
      return work(tx);
    };
    const result = await paced((begin) => connection.write(id, (tx) => (begin(), renewing(tx))));
    this.#renewedAt = performance.now();
    return result;
  }

  /** The last transaction, which shows the chat. */
  show(work: (tx: Transaction) => Promise<void>): Promise<void> {
    const { sql } = this.connection;
    return this.step(async (tx) => {
      await tx.run(sql.deleteImport(this.chat.id));
      await tx.run(sql.updateChat(this.chat));
      await work(tx);
    });
  }

  /** Deletes the hidden chat. @param connection one with other time limits */
  async remove(connection = this.connection): Promise<void> {
    const { id } = this.chat;
    await this.step((tx) => tx.run(connection.sql.deleteImport(id)), connection);
    await (await removals()).finishRemoval(connection, id);
  }

  /** Call it while no transaction is running. */
  async renewIfDue(): Promise<void> {
    if (performance.now() - this.#renewedAt > LEASE_MS / 3) await this.step(async () => {});
  }

  /**
   * Writes the hidden chat.
   * @returns false when the id is taken
   */
  async #begin(): Promise<boolean> {
    const { sql } = this.connection;
    const { id, userId } = this.chat;
    try {
      await this.connection.write(id, async (tx) => {
        await tx.run(sql.insertRows('chats', [{ ...this.chat, userId: DELETED_OWNER, version: 0 }]));
        const lease = { chatId: id, userId, ...this.#lease(), afterSeq: null, deletedAt: null };
        await tx.run(sql.insertRows('chat_imports', [lease]));
      });
      return true;
    } catch (error) {
      if (sql.failure(error) !== 'duplicate') throw error;
      return false;
    }
  }

  /** The unfinished import of the user into the chat. */
  async #open(): Promise<OpenImport | null> {
    const open = await importOf(this.connection, this.chat.id);
    return open?.userId === this.chat.userId && open.deletedAt == null ? open : null;
  }

  async #takeOver(): Promise<boolean> {
    const { id: chatId, userId } = this.chat;
    const takeOver = this.connection.sql.takeOverImport({ chatId, userId, ...this.#lease() }, Date.now());
    return (await this.connection.write(chatId, (tx) => tx.run(takeOver))) === 1;
  }

  #lease() {
    return { holder: this.#holder, expiresAt: Date.now() + LEASE_MS };
  }

  /** Waits until a lease ends or is renewed. */
  async #waitFor({ expiresAt }: OpenImport): Promise<void> {
    while (Date.now() <= expiresAt) {
      await pause(POLL_MS);
      if ((await importOf(this.connection, this.chat.id))?.expiresAt !== expiresAt) return;
    }
  }
}
