/**
 * Subscriptions of all transports. Each client is first on its own, from where it begins to where the others are: what
 * happened meanwhile is told to it at its own pace. Then it joins those who get the same answers.
 */
import type { ExecutionResult } from 'graphql';
import type { Viewer } from '../../conversation/model.js';
import { isAfter, placeOf, type Following } from '../../events/log-stream.js';
import { asGraphQLError, isUnavailable } from './failure.js';
import { FollowingClient } from './following-client.js';
import type { Follower } from './follower.js';
import { operationKey, trimmed, type SubscriptionOperation } from './operation-key.js';
import { SubscriptionGroup, type Run } from './subscription-group.js';

/** Runs a subscription for a viewer, from where the Following says. Errors are masked. */
export type Subscribe = (
  viewer: Viewer,
  operation: SubscriptionOperation,
  following: Following,
) => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>;

/** A subscription, and who wants it. */
class Wanted {
  #key: string | undefined;

  constructor(
    readonly viewer: Viewer,
    readonly operation: SubscriptionOperation,
  ) {}

  /**
   * What is the same for all who get the same answers. Asked for once its variables have been checked: see operationKey. Two
   * branches may have been called the same, one behind the other, and so may two drafts.
   */
  keyOf({ branchId, draftStartedAt }: Following): string {
    this.#key ??= operationKey(this.viewer, this.operation);
    return `${this.#key}${branchId ?? draftStartedAt ?? ''}`;
  }
}

export class SharedSubscriptions {
  readonly #groups = new Map<string, SubscriptionGroup>();
  readonly #clients = new Set<FollowingClient>();
  #isStopped = false;
  #delivered = 0;

  constructor(private readonly subscribe: Subscribe) {}

  /** How many clients follow something, and how many executions serve those who are up to date. */
  get size(): { clients: number; groups: number } {
    return { clients: this.#clients.size, groups: this.#groups.size };
  }

  /** How many answers have been sent, to all who ever followed something. */
  get delivered(): number {
    return this.#delivered;
  }

  /**
   * Runs a subscription for a client.
   * @returns how to leave it; or why it was refused
   */
  async follow(
    viewer: Viewer,
    operation: SubscriptionOperation,
    follower: Follower,
  ): Promise<(() => void) | ExecutionResult> {
    const wanted = new Wanted(viewer, trimmed(operation));
    const first = await this.#catchUp(wanted, { startAt: null, position: 0, isOver: false });
    const client: FollowingClient = new FollowingClient(
      follower,
      () => this.#clients.delete(client),
      () => this.#delivered++,
    );
    this.#clients.add(client);
    if ('results' in first) {
      void this.#serve(client, wanted, first);
    } else {
      const error = first.errors?.find(isUnavailable);
      if (error === undefined) {
        client.leave();
        return first;
      }
      client.fail(error);
    }
    if (this.#isStopped) client.cutOff();
    return () => client.leave();
  }

  /** Has every client come back elsewhere, and those who come from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const client of [...this.#clients]) client.cutOff();
  }

  async #serve(client: FollowingClient, wanted: Wanted, first: Run | Promise<Run | ExecutionResult>): Promise<void> {
    try {
      for (let started = first; ;) {
        const run = await started;
        if (!('results' in run)) return client.fail(asGraphQLError(run.errors?.[0]));
        await client.follow(run);
        if (client.hasLeft()) return;
        if (run.following.isOver) return client.complete();
        const group = this.#groups.get(wanted.keyOf(run.following)) ?? this.#newGroup(wanted, run.following);
        const goOnAlone = () => this.#catchUp(wanted, goOn(run.following));
        if (!isAfter(group.place, client.place)) {
          return client.join(group, () => void this.#serve(client, wanted, goOnAlone()));
        }
        // The others have come further meanwhile.
        started = goOnAlone();
      }
    } catch (error) {
      client.fail(asGraphQLError(error));
    }
  }

  /** Runs a subscription up to where the others are; if there are none, to the end of what has happened. */
  #catchUp(wanted: Wanted, following: Following): Promise<Run | ExecutionResult> {
    const until = () => this.#groups.get(wanted.keyOf(ahead))?.place ?? null;
    const ahead: Following = { ...following, until };
    return this.#run(wanted, ahead);
  }

  #newGroup(wanted: Wanted, following: Following): SubscriptionGroup {
    const key = wanted.keyOf(following);
    const group = new SubscriptionGroup(placeOf(following), () => {
      if (this.#groups.get(key) === group) this.#groups.delete(key);
    });
    this.#groups.set(key, group);
    void group.run(this.#run(wanted, goOn(following)));
    return group;
  }

  async #run({ viewer, operation }: Wanted, following: Following): Promise<Run | ExecutionResult> {
    const source = await this.subscribe(viewer, operation, following);
    if (!(Symbol.asyncIterator in source)) return source;
    return { results: source[Symbol.asyncIterator](), following };
  }
}

/** Further along the same log. */
function goOn({ position, mark, deletedAt, branchId, draftStartedAt }: Following): Following {
  return {
    startAt: position,
    position,
    isOver: false,
    ...(mark !== undefined && { mark }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(branchId !== undefined && { branchId }),
    ...(draftStartedAt !== undefined && { draftStartedAt }),
  };
}
