/** The drafts of a chat as they grow: from the events of the server, and earlier for drafts that this page writes. */
import type { Parley } from '../connection/create-parley.js';
import { ChatDrafts as Notices, DraftGrowth, type WrittenFragment } from '../generated/operations.js';
import { unsavedMessage, type Message } from '../message.js';
import { draftText } from './draft-text.js';

export interface Draft {
  /** The id of the future message. */
  readonly id: string;
  /** The parent message; null for a root. */
  readonly parentId: string | null;
  readonly branchId: string;
  readonly metadata: unknown;
  /** The chunks so far, as their writer sent them. */
  readonly chunks: readonly unknown[];
  /** The draft as a message of the thread: its `text` joins the chunks. */
  readonly message: Message;
}

/** A draft as the server describes it; `startedBy` is null until the server knows it. */
export type Begun = Omit<WrittenFragment, 'startedBy'> & { startedBy: string | null };

interface Followed {
  draft: Draft;
  /** The number of chunks that the server has published: an event with fewer is outdated. */
  length: number;
  /** The version of the chat that contains the message of a finished draft. */
  until?: number;
  /** Whether the server knows the draft. Otherwise only this page does. */
  isStarted?: boolean;
  stop?: () => void;
}

export class ChatDrafts {
  readonly #followed = new Map<string, Followed>();
  #list: readonly Draft[] | undefined;
  #stop: (() => void) | undefined;
  #seq = 0;

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly changed: () => void,
    /** Called after a draft was discarded or refused. */
    private readonly dropped: (id: string) => void,
  ) {}

  /** In the order of their start; the same list until something changes. */
  get list(): readonly Draft[] {
    return (this.#list ??= [...this.#followed.values()].map(({ draft }) => draft));
  }

  find(id: string): Draft | undefined {
    return this.#followed.get(id)?.draft;
  }

  start(): void {
    this.#stop ??= this.parley.follow(
      Notices,
      { chatId: this.chatId },
      {
        next: ({ drafts: { draftId, state, draft } }) => {
          if (draft !== null) this.follow(draft);
          // A finished draft is kept until the events of the chat contain its message.
          if (state === 'DISCARDED') this.drop(draftId);
        },
        ended: () => (this.#stop = undefined),
      },
    );
    for (const [id, followed] of this.#followed) this.#listen(id, followed);
  }

  /** Follows nothing until `start`. Drafts that only this page knows are kept. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    for (const [id, { isStarted }] of this.#followed) if (isStarted === true) this.#remove(id);
    this.#list = undefined;
  }

  /** Shows a draft before the server knows it. */
  begin(begun: Begun): void {
    this.#followed.set(begun.id, { draft: draftOf(begun), length: 0 });
    this.#notify();
  }

  /** Adds chunks, without those that are already present before `offset + chunks.length`. */
  grow(id: string, offset: number, chunks: readonly unknown[]): void {
    const followed = this.#followed.get(id);
    const length = followed?.draft.chunks.length ?? -1;
    // The server repeats chunks after a gap, without the gap.
    if (followed && offset <= length) this.#put(followed, chunks.slice(length - offset));
  }

  /** Removes the drafts whose messages are in the events up to this one. */
  arrive(seq: number, isSaved: (id: string) => boolean): void {
    this.#seq = seq;
    for (const [id, { until = Infinity }] of this.#followed) {
      if (until > seq && !isSaved(id)) continue;
      this.#remove(id);
      this.#list = undefined;
    }
  }

  /** Removes a draft that was not saved. */
  drop(id: string): void {
    if (!this.#remove(id)) return;
    this.dropped(id);
    this.#notify();
  }

  /** Applies the server's state of a draft, and follows it after `start`. */
  follow(written: WrittenFragment): void {
    const { id } = written;
    const known = this.#followed.get(id);
    const { chunks = [], message } = known?.draft ?? {};
    const followed: Followed = Object.assign(known ?? {}, {
      draft: draftOf(written, chunks, message?.text),
      length: Math.max(written.length, known?.length ?? 0),
      isStarted: true,
    });
    this.#followed.set(id, followed);
    this.#notify();
    if (this.#stop) this.#listen(id, followed);
  }

  #listen(id: string, followed: Followed): void {
    if (followed.isStarted === true)
      followed.stop ??= this.parley.follow(
        DraftGrowth,
        { chatId: this.chatId, id },
        {
          next: ({ draft: update }) => {
            if (this.#followed.get(id) !== followed) return;
            const { draft, length } = followed;
            const { status } = draft.message;
            if (update.__typename === 'DraftChunks') {
              followed.length = Math.max(length, update.length);
              // The writer has resumed.
              if (status === 'abandoned' && update.length > length) this.#put(followed, [], 'streaming');
              this.grow(id, update.offset, update.chunks);
            } else if (update.__typename === 'DraftStopping') {
              if (status !== 'abandoned') this.#put(followed, [], 'stopping');
            } else if (update.__typename === 'DraftAbandoned') {
              if (draft.chunks.length >= length) this.#put(followed, [], 'abandoned');
            } else if (update.__typename === 'DraftDiscarded') this.drop(id);
            else if ((followed.until = update.branch.chat.version) <= this.#seq && this.#remove(id)) this.#notify();
          },
          // The draft ended while this page was disconnected.
          ended: (error) => void (error !== null && this.drop(id)),
        },
      );
  }

  #remove(id: string): boolean {
    this.#followed.get(id)?.stop?.();
    return this.#followed.delete(id);
  }

  #notify(): void {
    this.#list = undefined;
    this.changed();
  }

  #put(followed: Followed, fresh: readonly unknown[], status = followed.draft.message.status): void {
    const { draft } = followed;
    const { chunks, message } = draft;
    if (fresh.length === 0 && status === message.status) return;
    followed.draft = {
      ...draft,
      chunks: chunks.concat(fresh),
      message: { ...message, text: message.text + draftText(fresh), ...(status && { status }) },
    };
    this.#notify();
  }
}

const STATUS = { WRITING: 'streaming', STOPPING: 'stopping', ABANDONED: 'abandoned' } as const;

function draftOf(
  { id, name, parent, branch, metadata, state, startedAt, startedBy }: Begun,
  chunks: readonly unknown[] = [],
  text = '',
): Draft {
  const parentId = parent?.id ?? null;
  return {
    id,
    parentId,
    branchId: branch.id,
    metadata,
    chunks,
    message: unsavedMessage({
      id,
      parentId,
      name,
      text,
      createdAt: startedAt,
      createdBy: startedBy,
      status: STATUS[state],
    }),
  };
}
