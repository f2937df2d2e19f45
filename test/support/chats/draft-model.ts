/** A reference model of drafts, on top of the model of their chat. Server and model must return the same. */
import { ModelError, type ConversationModel, type SaveCommand } from './conversation-model.js';

export interface ModelDraft {
  readonly id: string;
  /** The target branch, which may be renamed or deleted. */
  branchKey: string;
  readonly parentId: string | null;
  readonly onConflict: NonNullable<SaveCommand['onConflict']> | 'PARENT';
  readonly name: string;
  readonly chunks: string[];
  isStopped: boolean;
  /** When a new branch of the draft becomes active: with its first content, at its end, already done, or never. */
  activation: 'AT_CONTENT' | 'AT_END' | 'DONE' | 'NEVER';
  /** The active branch and its head when the draft began. */
  readonly requested: { branchKey: string; head: string | null };
  end: 'finished' | 'discarded' | null;
  /** The message of a finished draft. */
  messageId: string | null;
}

export interface StartCommand {
  id: string;
  branch: string | null;
  parentId: string | null;
  /** Undefined without an expectation of the client. */
  expectedHeadId: string | null | undefined;
  onConflict: NonNullable<SaveCommand['onConflict']>;
  name: string;
}

export class DraftModel {
  /** All drafts, oldest first: of drafts with the same id, all but the last were discarded. */
  readonly drafts: ModelDraft[] = [];

  constructor(private readonly conversation: ConversationModel) {}

  /** The newest draft with an id. */
  newest(id: string): ModelDraft | undefined {
    return this.drafts.findLast((draft) => draft.id === id);
  }

  start(command: StartCommand): ModelDraft {
    const { id, name, onConflict, parentId, expectedHeadId } = command;
    const { conversation } = this;
    if (parentId !== null && expectedHeadId !== undefined) throw new ModelError('InvalidInputError');
    const there = this.newest(id);
    if (there?.end === null) {
      if (there.name === name) return there;
      throw new ModelError('AlreadyExistsError');
    }
    if (conversation.messages.some((message) => message.id === id)) throw new ModelError('AlreadyExistsError');
    const branch = conversation.branch(command.branch ?? conversation.active);
    const place = parentId === null ? this.#place(command, branch.head) : conversation.message(parentId).id;
    const active = conversation.branch(conversation.active);
    const draft: ModelDraft = {
      id,
      branchKey: branch.key,
      parentId: place,
      onConflict: parentId === null ? onConflict : 'PARENT',
      name,
      chunks: [],
      isStopped: false,
      activation: parentId === null || parentId === branch.head ? 'AT_END' : 'AT_CONTENT',
      requested: { branchKey: active.key, head: active.head },
      end: null,
      messageId: null,
    };
    this.drafts.push(draft);
    return draft;
  }

  append(id: string, offset: number, chunks: readonly string[]): ModelDraft {
    const draft = this.#live(id);
    if (offset > draft.chunks.length) throw new ModelError('DraftOffsetError');
    const fresh = chunks.slice(draft.chunks.length - offset);
    draft.chunks.push(...fresh);
    if (draft.activation === 'AT_CONTENT' && fresh.some((chunk) => chunk !== '')) this.#openBranch(draft);
    return draft;
  }

  stop(id: string): ModelDraft {
    const draft = this.#live(id);
    draft.isStopped = true;
    return draft;
  }

  discard(id: string): void {
    const draft = this.newest(id);
    if (draft === undefined || draft.end === 'finished') throw new ModelError('NotFoundError');
    if (draft.end === null) this.#closeBranch(draft);
    draft.end = 'discarded';
  }

  /**
   * @param text undefined for the text of its chunks
   * @param newId see ConversationModel.save
   */
  finish(
    id: string,
    text: string | undefined,
    newId: (index: number) => string,
  ): ReturnType<ConversationModel['save']> {
    const { conversation } = this;
    const draft = this.newest(id);
    const branch = draft === undefined ? conversation.active : this.branchName(draft);
    if (draft?.end === null) {
      const { name, parentId, onConflict } = draft;
      const messages = [{ id, isLazy: false, name, text: text ?? draft.chunks.join('') }];
      const place: Partial<SaveCommand> =
        onConflict === 'PARENT' ? { parentId } : { expectedHeadId: parentId, onConflict };
      const isActivating = draft.activation.startsWith('AT_') && this.#isAsRequested(draft);
      const saved = conversation.save({ branch, messages, ...place }, newId, { isActivating });
      draft.end = 'finished';
      draft.messageId = saved.ids[0] ?? null;
      const { key } = conversation.branch(saved.branch);
      const isOwn = draft.activation === 'DONE' && key === draft.branchKey;
      draft.branchKey = key;
      return { ...saved, branched: saved.branched || isOwn };
    }
    const message = conversation.message(draft?.messageId ?? id);
    if (text !== undefined && text !== message.text) throw new ModelError('AlreadyExistsError');
    return conversation.save({ branch, messages: [{ ...message, isLazy: false }] }, newId);
  }

  /** The target branch of a draft; the active branch if the target was deleted. */
  branchName({ branchKey }: ModelDraft): string {
    const { branches, active } = this.conversation;
    return branches.find(({ key }) => key === branchKey)?.name ?? active;
  }

  #isAsRequested({ requested }: ModelDraft): boolean {
    const { key, head } = this.conversation.branch(this.conversation.active);
    return key === requested.branchKey && head === requested.head;
  }

  #openBranch(draft: ModelDraft): void {
    if (!this.#isAsRequested(draft)) {
      draft.activation = 'NEVER';
      return;
    }
    const name = this.conversation.nextName(this.branchName(draft));
    draft.branchKey = this.conversation.openBranch(draft.parentId, name).key;
    draft.activation = 'DONE';
  }

  #closeBranch(draft: ModelDraft): void {
    const { branches, active } = this.conversation;
    const own = branches.find(({ key }) => key === draft.branchKey);
    const previous = branches.find(({ key }) => key === draft.requested.branchKey);
    if (draft.activation !== 'DONE' || own?.name !== active || own.head !== draft.parentId) return;
    if (previous?.head !== draft.requested.head) return;
    if (this.drafts.some((each) => each !== draft && each.end === null && each.branchKey === own.key)) return;
    this.conversation.switchBranch(previous.name);
    this.conversation.deleteBranch(own.name);
  }

  #live(id: string): ModelDraft {
    const draft = this.newest(id);
    if (draft?.end !== null) throw new ModelError('NotFoundError');
    return draft;
  }

  #place({ expectedHeadId, onConflict }: StartCommand, head: string | null): string | null {
    const { conversation } = this;
    if (expectedHeadId === undefined || expectedHeadId === head) return head;
    if (expectedHeadId !== null) conversation.message(expectedHeadId);
    if (onConflict === 'FORK') return expectedHeadId;
    const isBehind = expectedHeadId === null || conversation.path(head).includes(expectedHeadId);
    if (onConflict === 'REJECT' || !isBehind) throw new ModelError('HeadConflictError');
    return head;
  }
}
