/**
 * The interface through which the rules change chats. The store in src/database implements it; reads for clients have
 * an interface of their own, reads.ts.
 */
import type { ChatChange, NewChat, OpenImport } from './change.js';
import type { Branch, Chat, Checkpoint, Message } from './model.js';
import type { Draft, DraftNote, DraftPiece } from './drafts/draft.js';
import type { SavedNode } from './saving/jumps.js';

export interface ConversationStore {
  /**
   * Runs `work` with the chat locked, then writes what it noted in its change, all in one transaction.
   *
   * Whatever changes the same chat, in this process or another, waits: what `work` reads stays true until the change
   * is written. When `work` throws, nothing is written. It may run again after a deadlock or a busy database, so it
   * has no other effects.
   *
   * @returns what `work` returned; null when there is no such chat
   */
  change<T>(
    chatId: string,
    actorId: string,
    work: (chat: LockedChat, change: ChatChange) => Promise<T>,
  ): Promise<T | null>;

  /**
   * Changes a draft, with it alone locked: `work` gets it, as it is or as it ended, and answers what is to be written. When
   * that throws, nothing is.
   */
  changeDraft(id: string, work: (draft: Draft | null, now: number) => DraftNote): Promise<Draft>;

  /** Writes a new chat with all that its change holds. Answers false, and writes nothing, when the id is taken. */
  create(chat: NewChat): Promise<boolean>;

  /**
   * The same for a chat of any size, in as many short transactions as it takes. The chat is hidden until the last one. A
   * repeated call continues after an interrupted one.
   * @throws ImportUnderWayError when another call writes the chat; ChangedMeanwhileError when it was removed meanwhile
   */
  createInSteps(chat: NewChat): Promise<boolean>;

  /**
   * Writes several new chats in one transaction. Answers false, and writes nothing, when the id of one is taken or their
   * messages have too much data.
   */
  createAll(chats: readonly NewChat[]): Promise<boolean>;

  chat(id: string): Promise<Chat | null>;

  /** Removes a chat and everything in it, and keeps for a while who did it. Answers false when there was none. */
  remove(chatId: string, actorId: string): Promise<boolean>;

  /** The time of a change that begins now, in milliseconds since 1970. */
  now(): number;

  /** Frees what the store holds. */
  close(): Promise<void>;
}

/** What the rules may ask about a chat while they hold its lock. Answers are as of before the change. */
export interface LockedChat {
  readonly chat: Chat;
  /**
   * To be waited for between pieces of work: others get their turn when this one has lasted long.
   * @throws TimeoutError when the operation has no time left
   */
  giveWay(): Promise<void>;
  activeBranch(): Promise<Branch>;
  branch(name: string): Promise<Branch | null>;
  branchById(id: string): Promise<Branch | null>;
  /**
   * The branch of this name, or the active one, of somebody who is about to put messages behind its head: what placing them
   * takes is looked up with it, and the other answers have it.
   */
  tip(name: string | null): Promise<Branch | null>;
  /** The branches whose head is this message, oldest first. There may be any number. */
  branchesAt(headId: string): Promise<Branch[]>;
  /** Of those the active one if it is among them, else the oldest; null when there is none. */
  branchAt(headId: string): Promise<Branch | null>;
  /** Notes the names of the chat's branches that begin with this text, in any order and maybe twice: there may be any number. */
  eachBranchName(prefix: string, note: (name: string) => void): Promise<void>;
  checkpoint(name: string): Promise<Checkpoint | null>;
  /** Those messages of the chat that have these ids. */
  messages(ids: readonly string[]): Promise<Map<string, Message>>;
  /** The message with an id that a client sends, of any chat: the caller must check its chatId. */
  messageAnywhere(id: string): Promise<Message | null>;
  /** Messages of any chat that have the ids of new ones. Remains of a chat that is being removed do not count. */
  takenBy(ids: readonly string[]): Promise<Map<string, Message>>;
  /** The owner of any chat, to tell whose a foreign message is. */
  ownerOf(chatId: string): Promise<string | null>;
  /** The message, its jump, its jump's jump, up to the root. */
  ladder(messageId: string): Promise<SavedNode[]>;
  /** The message at this depth on the path from the root to `messageId`; null when the path is shorter. */
  ancestorAt(messageId: string, depth: number): Promise<Message | null>;
  /** The newest message named assistant on the path from the root to `messageId`. */
  lastAssistant(messageId: string): Promise<Message | null>;
  /** The leaf reached from `messageId` by taking the newest child at every step. */
  latestLeaf(messageId: string): Promise<Message>;
  /** How many children a message has; for null, how many roots the chat has. */
  childCount(parentId: string | null): Promise<number>;
  /** How many messages the chat has: the seq of the newest. */
  messageCount(): Promise<number>;
  /** The import that writes the chat in several transactions, if one has not ended. */
  openImport(): Promise<OpenImport | null>;
  /** The drafts of the chat. */
  drafts(): Promise<Draft[]>;
  /** The draft with this id, of any chat, maybe one that has ended; until the change is written, nobody else changes it. */
  draft(id: string): Promise<Draft | null>;
  /** All that it has had so far, in order. */
  draftPieces(draft: Draft): Promise<DraftPiece[]>;
}
