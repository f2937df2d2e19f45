/** The messages of a chat that are being written, as they grow. */
import type { Parley } from '../connection/create-parley.js';
import { ChatDrafts as Notices, DraftGrowth, type WrittenFragment } from '../generated/operations.js';
import type { Message } from '../store/message.js';
import { draftText } from './draft-text.js';

export interface Draft {
  /** Of the message that it becomes. */
  readonly id: string;
  /** What it goes behind; null for a root. */
  readonly parentId: string | null;
  readonly branchId: string;
  readonly metadata: unknown;
  /** What was written so far, as its writer sent it. */
  readonly chunks: readonly unknown[];
  /** As a thread shows it: its `text` is that of the chunks. */
  readonly message: Message;
}

interface Followed {
  draft: Draft;
  /** It has become a message, of which the events of the chat tell. */
  isFinished: boolean;
  /** The chat was read anew since it was begun, so that an event that tells of the message may never come. */
  isStale: boolean;
  stop: () => void;
}

export class ChatDrafts {
  readonly #followed = new Map<string, Followed>();
  #list: readonly Draft[] | undefined;
  #stop: (() => void) | undefined;

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly changed: () => void,
    /** One is a message, of which no event may tell: it is to be removed once what is shown is as new as that. */
    private readonly finished: (id: string) => void,
  ) {}

  /** In the order in which they were begun; the same list until something changes. */
  get list(): readonly Draft[] {
    return (this.#list ??= [...this.#followed.values()].map(({ draft }) => draft));
  }

  start(): void {
    this.#stop ??= this.parley.follow(
      Notices,
      { chatId: this.chatId },
      {
        next: ({ drafts: { draftId, state, draft } }) => {
          if (draft !== null) this.#follow(draft);
          // What it has become comes with the events of the chat; until then it stands where it stood.
          if (state === 'DISCARDED') this.remove(draftId);
        },
        ended: () => (this.#stop = undefined),
      },
    );
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    for (const { stop } of this.#followed.values()) stop();
    this.#followed.clear();
    this.#list = undefined;
  }

  /** It is a message now, or nothing. */
  remove(id: string): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    followed.stop();
    this.#followed.delete(id);
    this.#tell();
  }

  /** The chat was read anew: what has become a message before is told of by nothing that comes. */
  restart(): void {
    for (const [id, followed] of this.#followed) {
      followed.isStale = true;
      if (followed.isFinished) this.remove(id);
    }
  }

  #tell(): void {
    this.#list = undefined;
    this.changed();
  }

  #follow(written: WrittenFragment): void {
    const { id, state } = written;
    const known = this.#followed.get(id);
    if (known !== undefined) return this.#put(known, known.draft.chunks, STATUS[state]);
    const followed: Followed = { draft: draftOf(written), isFinished: false, isStale: false, stop: () => {} };
    this.#followed.set(id, followed);
    this.#tell();
    followed.stop = this.parley.follow(
      DraftGrowth,
      { chatId: this.chatId, id },
      {
        next: ({ draft: update }) => {
          if (this.#followed.get(id) !== followed) return;
          const { chunks } = followed.draft;
          if (update.__typename === 'DraftChunks') {
            const status = followed.draft.message.status === 'stopping' ? 'stopping' : 'streaming';
            const fresh = update.chunks.slice(Math.max(0, chunks.length - update.offset));
            this.#put(followed, chunks.concat(fresh), status, draftText(fresh));
          } else if (update.__typename === 'DraftStopping') this.#put(followed, chunks, 'stopping');
          else if (update.__typename === 'DraftAbandoned') this.#put(followed, chunks, 'abandoned');
          else if (update.__typename === 'DraftDiscarded') this.remove(id);
          else {
            followed.isFinished = true;
            if (followed.isStale) this.finished(id);
          }
        },
        // It ended while nobody listened.
        ended: (error) => void (error !== null && this.remove(id)),
      },
    );
  }

  #put(followed: Followed, chunks: readonly unknown[], status: NonNullable<Message['status']>, words = ''): void {
    const { draft } = followed;
    const text = draft.message.text + words;
    if (chunks === draft.chunks && status === draft.message.status) return;
    followed.draft = { ...draft, chunks, message: { ...draft.message, text, status } };
    this.#tell();
  }
}

const STATUS = { WRITING: 'streaming', STOPPING: 'stopping', ABANDONED: 'abandoned' } as const;

function draftOf({ id, name, parent, branch, metadata, state, startedAt, startedBy }: WrittenFragment): Draft {
  const parentId = parent?.id ?? null;
  return {
    id,
    parentId,
    branchId: branch.id,
    metadata,
    chunks: [],
    message: {
      id,
      parentId,
      seq: Infinity,
      depth: 0,
      name,
      type: 'message',
      text: '',
      data: null,
      createdAt: startedAt,
      createdBy: startedBy,
      status: STATUS[state],
    },
  };
}
