/**
 * A reference model of the conversation graph, with linear scans over lists. Server and model must return the same
 * after any operation.
 */
export interface ModelMessage {
  id: string;
  parentId: string | null;
  name: string;
  text: string;
}

export interface ModelBranch {
  /** Replaces the name in events, because the name may change: see `namedEvents`. */
  readonly key: string;
  name: string;
  head: string | null;
}

export interface SaveCommand {
  branch: string | null;
  messages: { id: string | null; isLazy: boolean; name: string; text: string; versionId?: string | undefined }[];
  /** Undefined without an expectation of the client. */
  expectedHeadId?: string | null | undefined;
  onConflict?: 'REJECT' | 'FORK' | 'APPEND';
  parentId?: string | null;
  branchName?: string | null;
}

/** A failure, named after its type in the schema. */
export class ModelError extends Error {}

export class ConversationModel {
  /** In the order of saving. */
  messages: ModelMessage[] = [];
  /** Oldest first. */
  branches: ModelBranch[] = [{ key: '#1#', name: 'main', head: null }];
  active = 'main';
  /** Newest first. */
  checkpoints: { name: string; messageId: string }[] = [];
  events: string[] = ['ChatCreated', 'BranchCreated #1# at null', 'BranchActivated #1#'];

  /** The events, with the current names of branches. */
  get namedEvents(): string[] {
    const names = new Map(this.branches.map(({ key, name }) => [key, name]));
    return this.events.map((event) => event.replace(/#[0-9]+#/, (key) => names.get(key) ?? 'deleted'));
  }

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
   * @param newId returns the server's id of the message at an index, if the client set none
   * @param isActivating whether new branches become active
   * @returns the ids of the messages, the name of the branch that ends in the last one, and whether it branched
   */
  save(command: SaveCommand, newId: (index: number) => string, { isActivating } = { isActivating: true }) {
    const { parentId: parent = null, branchName = null } = command;
    if (parent !== null && command.expectedHeadId !== undefined) throw new ModelError('InvalidInputError');
    const target = this.branch(command.branch ?? this.active);
    const results: string[] = [];
    let branch = target;
    let path = this.path(parent ?? target.head);
    let run: string[] = [];
    let [hasBegun, hasForked, hasEdited, isNew] = [false, false, false, false];

    const endRun = () => {
      if (run.length > 0) this.moveHead(branch, run);
      if (isNew && isActivating) this.activate(branch);
      isNew = false;
      run = [];
    };
    const fork = (from: string[]) => {
      endRun();
      const name = hasForked || branchName === null ? this.nextName(target.name) : branchName;
      branch = this.createBranch(name, from.at(-1) ?? null);
      isNew = true;
      path = from;
      hasForked = true;
    };
    const begin = (isEdit: boolean) => {
      if (hasBegun) return;
      hasBegun = true;
      const { expectedHeadId: expected, onConflict = 'REJECT' } = command;
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
      if (isSame(known) && draft.versionId === undefined) {
        const isBehind = parent !== null && known.parentId === path.at(-1);
        if ((hasEdited || isBehind) && !hasBegun) path = this.path(known.id);
        results.push(known.id);
        return;
      }
      if (!hasBegun && draft.versionId === undefined) {
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
      append(draft.versionId ?? newId(index), draft);
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

  edit(
    messageId: string,
    text: string,
    { id, branchName, expectedHeadId }: { id: string | null } & Pick<SaveCommand, 'branchName' | 'expectedHeadId'>,
    newId: (index: number) => string,
  ) {
    const { name, parentId } = this.message(messageId);
    const there = this.messages.find((each) => each.id === id);
    const isRetry = there !== undefined && there.parentId === parentId && there.name === name && there.text === text;
    if (there !== undefined && !isRetry) throw new ModelError('AlreadyExistsError');
    const versionId = there === undefined ? (id ?? undefined) : undefined;
    const draft = { id: there?.id ?? messageId, isLazy: false, name, text, versionId };
    return this.save({ branch: null, messages: [draft], branchName: branchName ?? null, expectedHeadId }, newId);
  }

  rename(name: string, newName: string) {
    const branch = this.branch(name);
    if (name === newName) return;
    this.requireFree(newName);
    this.events.push(`BranchRenamed ${branch.key} from ${name} to ${newName}`);
    if (this.active === name) this.active = newName;
    branch.name = newName;
  }

  deleteBranch(name: string) {
    const { head } = this.branch(name);
    if (name === this.active) throw new ModelError('InvalidInputError');
    this.branches = this.branches.filter((branch) => branch.name !== name);
    this.events.push(`BranchDeleted ${name} at ${head}`);
  }

  rewind(messageId: string | null, name: string | null) {
    if (messageId !== null) this.message(messageId);
    this.openBranch(messageId, name ?? this.nextName(this.active));
  }

  /** Creates and activates a branch. */
  openBranch(head: string | null, name: string): ModelBranch {
    const branch = this.createBranch(name, head);
    this.activate(branch);
    return branch;
  }

  btw(messageId: string | null | undefined, name: string | null) {
    const { head } = this.branch(this.active);
    if (messageId === undefined && head === null) throw new ModelError('InvalidInputError');
    if (typeof messageId === 'string') this.message(messageId);
    this.createBranch(name ?? this.nextName(this.active), messageId === undefined ? head : messageId);
  }

  switchBranch(name: string) {
    const branch = this.branch(name);
    if (name !== this.active) this.activate(branch);
  }

  switchToSibling(messageId: string, name: string | null) {
    const leaf = this.latestLeaf(this.message(messageId).id);
    const there = this.branches.filter((branch) => branch.head === leaf);
    if (there.some((branch) => branch.name === this.active)) return;
    this.activate(there[0] ?? this.createBranch(name ?? this.nextName(this.active), leaf));
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
    this.requireFree(name);
    const branch = { key: `#${this.events.length}#`, name, head };
    this.branches.push(branch);
    this.events.push(`BranchCreated ${branch.key} at ${head}`);
    return branch;
  }

  private requireFree(name: string) {
    if (this.branches.some((branch) => branch.name === name)) throw new ModelError('AlreadyExistsError');
  }

  private activate({ key, name }: ModelBranch) {
    this.active = name;
    this.events.push(`BranchActivated ${key}`);
  }

  private moveHead(branch: ModelBranch, run: string[]) {
    const head = run.at(-1) ?? null;
    this.events.push(`BranchHeadMoved ${branch.key} from ${branch.head} to ${head} by ${run.join(' ')}`);
    this.branch(branch.name).head = head;
  }

  nextName(base: string): string {
    const numbers = this.branches.map(({ name }) => {
      const suffix = name.startsWith(`${base}-v`) ? name.slice(base.length + 2) : '';
      return String(Number(suffix)) === suffix ? Number(suffix) : 1;
    });
    return `${base}-v${Math.max(1, ...numbers) + 1}`;
  }
}
