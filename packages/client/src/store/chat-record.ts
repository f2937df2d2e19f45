/** The branches, checkpoints and title of a chat, up to an event. */
import type { ChatEventsSubscription, ListedFragment, OpenThreadQuery } from '../generated/operations.js';

export type ChatEvent = ChatEventsSubscription['chatEvents'];
export type Snapshot = NonNullable<OpenThreadQuery['chat']>;
export type ChatInfo = Pick<ListedFragment, 'id' | 'title' | 'metadata' | 'userId' | 'viewerRole' | 'createdAt'>;

export interface Branch {
  /** A branch keeps its id when it is renamed. */
  readonly id: string;
  readonly name: string;
  /** The name for menus, in which repeated endings are counted: `main-v2×3` for `main-v2-v2-v2`. */
  readonly label: string;
  /** Null while the branch is empty. */
  readonly headId: string | null;
  readonly isActive: boolean;
}

export interface Checkpoint {
  readonly name: string;
  readonly messageId: string;
  readonly createdAt: string;
}

export class ChatRecord {
  /** The last applied event. */
  seq = 0;
  chat: ChatInfo | null = null;
  /** Oldest first. */
  branches: readonly Branch[] = [];
  /** Newest first. */
  checkpoints: readonly Checkpoint[] = [];

  get active(): Branch | undefined {
    return this.branches.find(({ isActive }) => isActive);
  }

  branch(id: string): Branch | undefined {
    return this.branches.find((branch) => branch.id === id);
  }

  /** The branch with this head, before others the active one. */
  branchAt(headId: string): Branch | undefined {
    const at = this.branches.filter((branch) => branch.headId === headId);
    return at.find(({ isActive }) => isActive) ?? at[0];
  }

  restart(snapshot: Snapshot): void {
    this.seq = snapshot.version;
    this.#describe(snapshot);
    const activeId = snapshot.activeBranch.id;
    this.branches = snapshot.branches.edges.map(({ node }) =>
      branchOf(node.id, node.name, node.head?.id ?? null, node.id === activeId),
    );
    const { id, name, head } = snapshot.activeBranch;
    this.put(id, name, head?.id ?? null, true);
    this.checkpoints = snapshot.checkpoints.edges.map(({ node }) => ({
      name: node.name,
      messageId: node.message.id,
      createdAt: node.createdAt,
    }));
  }

  /**
   * Applies the next event.
   * @returns false when the event does not follow the last one: a new snapshot is required
   */
  apply(event: ChatEvent): boolean {
    const isNext = event.seq === this.seq + 1 || event.__typename === 'ChatDeleted';
    this.seq = event.seq;
    switch (event.__typename) {
      case 'ChatUpdated':
      case 'ChatTransferred':
      case 'MemberChanged':
        this.#describe(event.chat);
        break;
      case 'BranchCreated':
      case 'BranchHeadMoved':
        // A later event reports its deletion.
        if (event.branch !== null) this.put(event.branch.id, event.branch.name, event.headId);
        break;
      case 'BranchActivated': {
        const { branch } = event;
        const known = branch === null ? undefined : this.branch(branch.id);
        if (branch !== null) this.put(branch.id, branch.name, known ? known.headId : (branch.head?.id ?? null), true);
        break;
      }
      case 'BranchRenamed': {
        const { branch, name, previousName } = event;
        const known = this.branches.find((other) => (branch ? other.id === branch.id : other.name === previousName));
        if (known) this.put(known.id, branch?.name ?? name, known.headId);
        break;
      }
      case 'BranchDeleted': {
        const { name, headId } = event;
        const deleted = this.branches.filter((branch) => branch.name === name && branch.headId === headId);
        this.branches = this.branches.filter((branch) => branch !== deleted[0]);
        return isNext && deleted.length === 1;
      }
      case 'CheckpointSaved': {
        const { name, messageId, createdAt } = event;
        this.checkpoints = [{ name, messageId, createdAt }, ...this.#checkpointsBut(name)];
        break;
      }
      case 'CheckpointDeleted':
        this.checkpoints = this.#checkpointsBut(event.name);
        break;
      case 'ChatCreated':
      case 'ChatRestored':
      case 'ChatDeleted':
        break;
    }
    return isNext;
  }

  #describe({ id, title, metadata, userId, viewerRole, createdAt }: ListedFragment): void {
    this.chat = { id, title, metadata, userId, viewerRole, createdAt };
  }

  /** Replaces a branch in the list, or appends a new one; `isActive` makes all others inactive. */
  put(id: string, name: string, headId: string | null, isActive = this.branch(id)?.isActive ?? false): void {
    const branch = branchOf(id, name, headId, isActive);
    const rest = this.branches.map((other) => {
      if (other.id === id) return branch;
      return isActive && other.isActive ? { ...other, isActive: false } : other;
    });
    this.branches = this.branch(id) === undefined ? [...rest, branch] : rest;
  }

  #checkpointsBut(name: string): Checkpoint[] {
    return this.checkpoints.filter((checkpoint) => checkpoint.name !== name);
  }
}

function branchOf(id: string, name: string, headId: string | null, isActive: boolean): Branch {
  const label = name.replace(/(-v\d+)\1+$/, (all, one: string) => `${one}×${all.length / one.length}`);
  return { id, name, label, headId, isActive };
}
