import { FIRST_BRANCH } from '../../../conversation/branches/branch-names.js';
import type { NewChat } from '../../../conversation/change.js';
import type { Branch, Chat, Message } from '../../../conversation/model.js';
import { TurnBudget } from '../../../scheduler/turn-budget.js';
import type { LockedChat, MessagePlace } from '../../../conversation/store.js';

/** The answers to the rules' queries about a chat that is about to be created: it has only an empty `main`. */
export class EmptyChat implements LockedChat {
  constructor(private readonly change: NewChat) {}

  get chat(): Chat {
    return this.change.chat;
  }

  async activeBranch(): Promise<Branch> {
    const main = await this.branch(FIRST_BRANCH);
    if (main === null) throw new Error('a new chat has no main');
    return main;
  }

  async branch(name: string): Promise<Branch | null> {
    return [...this.change.branches.values()].find((branch) => branch.name === name) ?? null;
  }

  tip = (name: string | null): Promise<Branch | null> => (name === null ? this.activeBranch() : this.branch(name));

  // Only main exists, which has no number.
  eachBranchName = async (): Promise<void> => {};
  readonly yieldIfDue = new TurnBudget().yieldIfDue;

  branchesAt = async (): Promise<Branch[]> => [];
  branchAt = async (): Promise<null> => null;
  checkpoint = async (): Promise<null> => null;
  checkpointById = async (): Promise<null> => null;
  messages = async (): Promise<Map<string, Message>> => new Map();
  messageAnywhere = async (): Promise<null> => null;
  reserveIds = async (): Promise<Map<string, string>> => new Map();
  takenBy = async (): Promise<Map<string, Message>> => new Map();
  placesOf = async (): Promise<Map<string, MessagePlace>> => new Map();
  sourcesOf = async (): Promise<[]> => [];
  chatNow = async (): Promise<null> => null;
  ladder = async (): Promise<[]> => [];
  ancestorAt = async (): Promise<null> => null;
  lastAssistant = async (): Promise<null> => null;
  childCount = async (): Promise<number> => 0;
  openImport = async (): Promise<null> => null;
  branchById = async (): Promise<null> => null;
  messageCount = async (): Promise<number> => 0;

  async latestLeaf(messageId: string): Promise<Message> {
    throw new Error(`message "${messageId}" is not in a new chat`);
  }
}
