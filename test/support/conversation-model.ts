/**
 * The conversation graph at its plainest: lists that are walked from end to end. What the server answers after any
 * operation must be what this answers.
 */
export interface ModelMessage {
  id: string;
  parentId: string | null;
  name: string;
  text: string;
}

export interface ModelBranch {
  name: string;
  head: string | null;
}

export interface SaveCommand {
  branch: string | null;
  messages: { id: string | null; isLazy: boolean; name: string; text: string }[];
  /** Undefined when the client expects nothing. */
  expectedHeadId: string | null | undefined;
  onConflict: 'REJECT' | 'FORK' | 'APPEND';
}

/** A failure, by the name of its type in the schema. */
export class ModelError extends Error {}

export class ConversationModel {
  /** In the order of saving. */
  messages: ModelMessage[] = [];
  /** Oldest first. */
  branches: ModelBranch[] = [{ name: 'main', head: null }];
  active = 'main';
  /** Newest first. */
  checkpoints: { name: string; messageId: string }[] = [];
  events: string[] = ['ChatCreated', 'BranchCreated main at null', 'BranchActivated main'];

  /** Runs an operation, all or nothing. */
  attempt<T>(operation: () => T): T {
    const { messages, branches, active, checkpoints, events } = this;
    const before = structuredClone({ messages, branches, active, checkpoints, events });
    try {
      return operation();
    } catch (error) {
      Object.assign(this, before);
      throw error;
    }
  }

  /**
   * @param newId the id that the server made for the message at an index, where it made one
   * @returns the ids of the messages, the name of the branch that ends in the last one, and whether it branched
   */
  save(command: SaveCommand, newId: (index: number) => string) {
    const target = this.branch(command.branch ?? this.active);
    const results: string[] = [];
    let branch = target;
    let path = this.path(target.head);
    let run: string[] = [];
    let [hasBegun, hasForked, hasEdited] = [false, false, false];

    const endRun = () => {
      if (run.length > 0) this.moveHead(branch, run);
      run = [];
    };
    const fork = (from: string[]) => {
      endRun();
      branch = this.createBranch(this.nextName(target.name), from.at(-1) ?? null);
      this.activate(branch.name);
      path = from;
      hasForked = true;
    };
    const begin = (isEdit: boolean) => {
      if (hasBegun) return;
      hasBegun = true;
      const { expectedHeadId: expected, onConflict } = command;
      if (expected === undefined || expected === target.head) return;
      if (expected !== null) this.message(expected);
      if (onConflict === 'FORK') {
        if (!isEdit) fork(this.path(expected));
      } else if (onConflict === 'REJECT' || (expected !== null && !this.path(target.head).includes(expected))) {
        throw new ModelError('HeadConflictError');
      }
    };
    const append = (id: string, { name, text }: { name: string; text: string }) => {
      if (run.length === 0 && branch.head !== (path.at(-1) ?? null)) fork(path);
      this.messages.push({ id, parentId: path.at(-1) ?? null, name, text });
      path = [...path, id];
      run.push(id);
      results.push(id);
    };

    command.messages.forEach((draft, index) => {
      const isAssistant = (id: string) => this.message(id).name === 'assistant';
      const id = draft.isLazy ? (results.findLast(isAssistant) ?? path.findLast(isAssistant) ?? null) : draft.id;
      const known = this.messages.find((message) => message.id === id);
      const isSame = (other: ModelMessage) => other.name === draft.name && other.text === draft.text;
      if (known === undefined) {
        begin(hasEdited);
        append(id ?? newId(index), draft);
        return;
      }
      if (isSame(known)) {
        if (hasEdited && !hasBegun) path = this.path(known.id);
        results.push(known.id);
        return;
      }
      if (!hasBegun) {
        const activePath = this.path(this.branch(this.active).head);
        const parentId = hasEdited ? results.at(-1) : known.parentId;
        const version = activePath.map((each) => this.message(each)).find((each) => each.parentId === parentId);
        if (version !== undefined && isSame(version)) {
          hasEdited = true;
          branch = this.branch(this.active);
          path = this.path(version.id);
          results.push(version.id);
          return;
        }
      }
      begin(true);
      if (!hasEdited || path.includes(known.id)) fork(this.path(known.parentId));
      hasEdited = true;
      append(newId(index), draft);
    });
    endRun();

    const last = results.at(-1) ?? '';
    const endingThere = this.branches.filter((each) => each.head === last);
    const preferred = [target.name, this.active]
      .map((name) => endingThere.find((each) => each.name === name))
      .find((each) => each !== undefined);
    return {
      ids: results,
      branch: hasBegun ? branch.name : (preferred ?? endingThere[0] ?? branch).name,
      branched: hasForked,
    };
  }

  rewind(messageId: string, name: string | null) {
    this.message(messageId);
    this.activate(this.createBranch(name ?? this.nextName(this.active), messageId).name);
  }

  btw(name: string | null) {
    const { head } = this.branch(this.active);
    if (head === null) throw new ModelError('InvalidInputError');
    this.createBranch(name ?? this.nextName(this.active), head);
  }

  switchBranch(name: string) {
    this.branch(name);
    if (name !== this.active) this.activate(name);
  }

  switchToSibling(messageId: string) {
    const leaf = this.latestLeaf(this.message(messageId).id);
    const there = this.branches.filter((branch) => branch.head === leaf);
    if (there.some((branch) => branch.name === this.active)) return;
    this.activate((there[0] ?? this.createBranch(this.nextName(this.active), leaf)).name);
  }

  saveCheckpoint(name: string, messageId: string | null) {
    const at = messageId === null ? this.branch(this.active).head : this.message(messageId).id;
    if (at === null) throw new ModelError('InvalidInputError');
    this.checkpoints = [{ name, messageId: at }, ...this.checkpoints.filter((each) => each.name !== name)];
    this.events.push(`CheckpointSaved ${name} at ${at}`);
  }

  restoreCheckpoint(name: string) {
    const checkpoint = this.checkpoints.find((each) => each.name === name);
    if (checkpoint === undefined) throw new ModelError('NotFoundError');
    this.rewind(checkpoint.messageId, null);
  }

  deleteCheckpoint(name: string) {
    if (!this.checkpoints.some((each) => each.name === name)) throw new ModelError('NotFoundError');
    this.checkpoints = this.checkpoints.filter((each) => each.name !== name);
    this.events.push(`CheckpointDeleted ${name}`);
  }

  message(id: string): ModelMessage {
    const message = this.messages.find((each) => each.id === id);
    if (message === undefined) throw new ModelError('NotFoundError');
    return message;
  }

  branch(name: string): ModelBranch {
    const branch = this.branches.find((each) => each.name === name);
    if (branch === undefined) throw new ModelError('NotFoundError');
    return branch;
  }

  /** The ids from the root to a message. */
  path(id: string | null): string[] {
    return id === null ? [] : [...this.path(this.message(id).parentId), id];
  }

  children(parentId: string | null): string[] {
    return this.messages.filter((message) => message.parentId === parentId).map((message) => message.id);
  }

  latestLeaf(id: string): string {
    const newest = this.children(id).at(-1);
    return newest === undefined ? id : this.latestLeaf(newest);
  }

  private createBranch(name: string, head: string | null): ModelBranch {
    if (this.branches.some((branch) => branch.name === name)) throw new ModelError('AlreadyExistsError');
    const branch = { name, head };
    this.branches.push(branch);
    this.events.push(`BranchCreated ${name} at ${head}`);
    return branch;
  }

  private activate(name: string) {
    this.active = name;
    this.events.push(`BranchActivated ${name}`);
  }

  private moveHead(branch: ModelBranch, run: string[]) {
    const head = run.at(-1) ?? null;
    this.events.push(`BranchHeadMoved ${branch.name} from ${branch.head} to ${head} by ${run.join(' ')}`);
    this.branch(branch.name).head = head;
  }

  private nextName(base: string): string {
    const numbers = this.branches.map(({ name }) => {
      const suffix = name.startsWith(`${base}-v`) ? name.slice(base.length + 2) : '';
      return String(Number(suffix)) === suffix ? Number(suffix) : 1;
    });
    return `${base}-v${Math.max(1, ...numbers) + 1}`;
  }
}
