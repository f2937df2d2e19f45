/**
 * Subscriptions of all transports. Each client first runs alone, from its position to that of the others, at its own
 * pace, and then joins the group with equal answers.
 */
import type { ExecutionResult } from 'graphql';
import type { AuditCaller } from '../../audit.js';
import type { Viewer } from '../../conversation/model.js';
import { dropUndeclared } from '../limits/undeclared-variables.js';
import { isAfter, placeOf, type Following } from '../../events/following.js';
import { asGraphQLError, isUnavailable } from './failure.js';
import { FollowingClient } from './following-client.js';
import type { Follower } from './follower.js';
import { operationKey, type SubscriptionOperation } from './operation-key.js';
import { SubscriptionGroup, type Run } from './subscription-group.js';

/**
 * Runs a subscription for a viewer from the position of Following. Errors are masked.
 * @param caller the origin of a subscription that starts
 */
export type Subscribe = (
  viewer: Viewer,
  operation: SubscriptionOperation,
  following: Following,
  caller?: AuditCaller,
) => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>;

interface SubscriptionRequest {
  readonly viewer: Viewer;
  readonly operation: SubscriptionOperation;
  key?: string;
}

/**
 * The key shared by equal subscriptions; requires checked variables, see operationKey. Two successive branches, or parts of
 * a chat, may have had the same name.
 */
function keyOf(request: SubscriptionRequest, { branchId, partStartedAt }: Following): string {
  request.key ??= operationKey(request.viewer, request.operation);
  return `${request.key}${branchId ?? partStartedAt ?? ''}`;
}

export class SharedSubscriptions {
  readonly #groups = new Map<string, SubscriptionGroup>();
  readonly #clients = new Set<FollowingClient>();
  #isStopped = false;
  #delivered = 0;

  constructor(private readonly subscribe: Subscribe) {}

  /** The number of clients, and of shared executions for those that are up to date. */
  get size(): { clients: number; groups: number } {
    return { clients: this.#clients.size, groups: this.#groups.size };
  }

  get delivered(): number {
    return this.#delivered;
  }

  /**
   * Runs a subscription for a client.
   * @param caller its origin, for the audit log
   * @returns how to leave it, or the reason of its refusal
   */
  async follow(
    viewer: Viewer,
    { document, operationName, variableValues }: SubscriptionOperation,
    follower: Follower,
    caller?: AuditCaller,
  ): Promise<(() => void) | ExecutionResult> {
    const operation = { document, operationName, variableValues };
    dropUndeclared(operation);
    const request: SubscriptionRequest = { viewer, operation };
    const first = await this.#catchUp(request, { startAt: null, position: 0, isOver: false }, caller);
    const client: FollowingClient = new FollowingClient(
      follower,
      () => this.#clients.delete(client),
      () => this.#delivered++,
    );
    this.#clients.add(client);
    if ('results' in first) {
      void this.#serve(client, request, first);
    } else {
      const error = first.errors?.find(isUnavailable);
      if (error === undefined) {
        client.leave();
        return first;
      }
      client.fail(error);
    }
    if (this.#isStopped) client.cutOff();
    return client.leave;
  }

  /** Makes all present and future clients reconnect elsewhere. */
  stop(): void {
    this.#isStopped = true;
    for (const client of [...this.#clients]) client.cutOff();
  }

  async #serve(
    client: FollowingClient,
    request: SubscriptionRequest,
    first: Run | Promise<Run | ExecutionResult>,
  ): Promise<void> {
    try {
      for (let started = first; ;) {
        const run = await started;
        if (!('results' in run)) return client.fail(asGraphQLError(run.errors?.[0]));
        await client.follow(run);
        if (client.hasLeft) return;
        if (run.following.isOver) return client.complete();
        const group = this.#groups.get(keyOf(request, run.following)) ?? this.#newGroup(request, run.following);
        const continueAlone = () => this.#catchUp(request, resumedAt(run.following));
        if (!isAfter(group.place, client.place)) {
          return client.join(group, () => void this.#serve(client, request, continueAlone()));
        }
        // The group advanced meanwhile.
        started = continueAlone();
      }
    } catch (error) {
      client.fail(asGraphQLError(error));
    }
  }

  /** Runs a subscription up to the group's position, or to the end of the log without a group. */
  #catchUp(request: SubscriptionRequest, following: Following, caller?: AuditCaller): Promise<Run | ExecutionResult> {
    const until = () => this.#groups.get(keyOf(request, ahead))?.place ?? null;
    const ahead: Following = { ...following, until };
    return this.#run(request, ahead, caller);
  }

  #newGroup(request: SubscriptionRequest, following: Following): SubscriptionGroup {
    const key = keyOf(request, following);
    const group = new SubscriptionGroup(placeOf(following), () => {
      if (this.#groups.get(key) === group) this.#groups.delete(key);
    });
    this.#groups.set(key, group);
    void group.run(this.#run(request, resumedAt(following)));
    return group;
  }

  async #run(
    { viewer, operation }: SubscriptionRequest,
    following: Following,
    caller?: AuditCaller,
  ): Promise<Run | ExecutionResult> {
    const source = await this.subscribe(viewer, operation, following, caller);
    if (!(Symbol.asyncIterator in source)) return source;
    return { results: source[Symbol.asyncIterator](), following };
  }
}

/** A later position in the same log. */
function resumedAt({ position, mark, deletedAt, branchId, partStartedAt }: Following): Following {
  return {
    startAt: position,
    position,
    isOver: false,
    ...(mark !== undefined && { mark }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(branchId !== undefined && { branchId }),
    ...(partStartedAt !== undefined && { partStartedAt }),
  };
}
