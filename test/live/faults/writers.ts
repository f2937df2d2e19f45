/** Clients that concurrently change a few chats in all ways, through servers that restart. */
import { graphql } from '../../generated/graphql/gql.js';
import type { ChangeSavedMutation, TypedDocumentString } from '../../generated/graphql/graphql.js';
import { postJson } from '../../support/server/http-client.js';

const ChangeSaved = graphql(`
  mutation ChangeSaved($input: SaveMessagesInput!) {
    saveMessages(input: $input) {
      __typename
      ... on Error {
        message
      }
    }
  }
`);

const ChangeEdited = graphql(`
  mutation ChangeEdited($input: EditMessageInput!) {
    editMessage(input: $input) {
      __typename
      ... on Error {
        message
      }
    }
  }
`);

const ChangeRewound = graphql(`
  mutation ChangeRewound($input: RewindInput!) {
    rewind(input: $input) {
      __typename
      ... on Error {
        message
      }
    }
  }
`);

const ChangeSwitched = graphql(`
  mutation ChangeSwitched($input: SwitchBranchInput!) {
    switchBranch(input: $input) {
      __typename
      ... on Error {
        message
      }
    }
  }
`);

const ChangeBookmarked = graphql(`
  mutation ChangeBookmarked($input: CreateCheckpointInput!) {
    createCheckpoint(input: $input) {
      __typename
      ... on Error {
        message
      }
    }
  }
`);

/** The members that all payloads have in common. */
type Outcome = Pick<ChangeSavedMutation['saveMessages'], '__typename'> | { __typename: string; message?: string };

/** Branches that exist in every chat from the start. */
export const PERMANENT_BRANCHES = ['main', 'side'] as const;

export class Writers {
  /** The number of changes with a response. */
  answered = 0;
  /** The number of changes whose response was lost; saves are then sent again. */
  lost = 0;
  /** Unexpected responses. */
  readonly failures: string[] = [];
  #isStopped = true;
  #isClosed = false;
  #running: Promise<unknown> = Promise.resolve();
  #waiting: { answered: number; resolve: () => void }[] = [];
  /** The step of each writer, from which its unique ids derive. */
  readonly #steps: number[];

  constructor(
    /** Called for each request: a restarted server may have another URL. */
    private readonly urls: () => readonly string[],
    private readonly chatIds: readonly string[],
    count: number,
  ) {
    this.#steps = Array.from({ length: count }, () => 0);
  }

  start(): void {
    this.#isStopped = false;
    this.#running = Promise.all(this.#steps.map((_, n) => this.#write(n)));
  }

  /** Settles when no change is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    this.#tell(() => true);
  }

  /** Aborts running changes, with or without a response. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  /** Settles when `count` more changes have a response, or the writers have stopped. */
  more(count: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ answered: this.answered + count, resolve }));
  }

  /** A change that every follower of a chat receives: on all lasting branches and on the active one. */
  async mark(n: number): Promise<void> {
    for (const chatId of this.chatIds) {
      const branches = [...PERMANENT_BRANCHES, undefined];
      for (const [place, branch] of branches.entries())
        await this.#save(n, chatId, `${chatId}-mark-${n}-${place}`, branch);
    }
  }

  async #write(n: number): Promise<void> {
    const chatId = this.chatIds[n % this.chatIds.length] ?? '';
    let messageId: string | null = null;
    while (!this.#isStopped) {
      const step = (this.#steps[n] = (this.#steps[n] ?? 0) + 1);
      const id = `w${n}-${step}`;
      const kind = (step + n) % 7;
      const branch = PERMANENT_BRANCHES[step % 2];
      if (messageId !== null && kind === 1) {
        await this.#change(n, ChangeEdited, { input: { chatId, messageId, content: { text: `${id} edited` } } });
      } else if (messageId !== null && kind === 2) {
        await this.#change(n, ChangeRewound, { input: { chatId, at: { message: messageId } } });
      } else if (kind === 3) {
        await this.#change(n, ChangeSwitched, { input: { chatId, name: branch ?? 'main' } });
      } else if (messageId !== null && kind === 4) {
        await this.#change(n, ChangeBookmarked, { input: { chatId, messageId, name: `bookmark-${n}` } });
      } else {
        await this.#save(n, chatId, id, kind === 5 ? undefined : branch);
        messageId = `${id}-answer`;
      }
    }
  }

  /** Sends a save until there is a response: its messages have unique ids, so repetitions save nothing twice. */
  async #save(n: number, chatId: string, id: string, branch: string | undefined): Promise<void> {
    const messages = ['question', 'answer'].map((name) => ({ id: `${id}-${name}`, name, content: { text: id } }));
    const input = { chatId, messages, onConflict: 'REJECT' as const, ...(branch !== undefined && { branch }) };
    while (!this.#isClosed && !(await this.#change(n, ChangeSaved, { input })));
  }

  /** @returns whether there was a response */
  async #change<Result extends object, Variables>(
    n: number,
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<boolean> {
    const urls = this.urls();
    // After a lost response, the next server receives the request.
    const url = urls[(n + this.lost) % urls.length] ?? '';
    const outcome = await ask(url, document.toString(), variables);
    if (outcome === null) {
      this.lost++;
      // Stopped servers refuse at once.
      await new Promise((resolve) => setTimeout(resolve, 10));
      return false;
    }
    if (!outcome.__typename.endsWith('Payload')) this.failures.push(JSON.stringify({ variables, outcome }));
    this.answered++;
    this.#tell(({ answered }) => answered <= this.answered);
    return true;
  }

  #tell(isOver: (waiting: { answered: number }) => boolean): void {
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((waiting) => !isOver(waiting));
    for (const { resolve } of over) resolve();
  }
}

/** The payload of a change; null if the response was lost, or the server was temporarily unable to make the change. */
async function ask(url: string, query: string, variables: unknown): Promise<Outcome | null> {
  try {
    const response = await postJson(url, { query, variables });
    const { data, errors } = (await response.json()) as {
      data?: Record<string, Outcome> | null;
      errors?: { message: string; extensions?: { code?: string } }[];
    };
    if (errors?.some(({ extensions }) => extensions?.code === 'DATABASE_UNAVAILABLE')) return null;
    return Object.values(data ?? {})[0] ?? { __typename: 'Errors', message: JSON.stringify(errors) };
  } catch {
    return null;
  }
}
