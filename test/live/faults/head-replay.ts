/** Derives the updates that followers of branches must receive, from the log alone. */
import type { FollowedEvent } from './subscriptions.js';

/** An update as FollowHead selects it. */
export interface ExpectedUpdate {
  seq: number;
  branch: { id: string; name: string };
  previousHeadId: string | null;
  head: { id: string } | null;
}

/** A chat's branches at some point of its log. */
export class HeadReplay {
  readonly #branches = new Map<string, { name: string; headId: string | null }>();
  #activeId: string | null = null;

  /** Continues with more events. @returns the updates of the active branch, and of each branch by its name */
  replay(events: readonly FollowedEvent[]): { active: ExpectedUpdate[]; named: Map<string, ExpectedUpdate[]> } {
    const active: ExpectedUpdate[] = [];
    const named = new Map<string, ExpectedUpdate[]>();
    for (const event of events) {
      if (event.__typename === 'BranchActivated') active.push(this.#activate(event));
      if (event.__typename !== 'BranchCreated' && event.__typename !== 'BranchHeadMoved') continue;
      const update = this.#move(event);
      // Branches are not deleted in these tests.
      const { id, name } = event.branch!;
      if (id === this.#activeId) active.push(update);
      const ofBranch = named.get(name) ?? [];
      ofBranch.push(update);
      named.set(name, ofBranch);
    }
    return { active, named };
  }

  /** The first update of a new follower. */
  present(seq: number, branchName: string | null): ExpectedUpdate {
    const entry = [...this.#branches].find(([id, { name }]) =>
      branchName === null ? id === this.#activeId : name === branchName,
    );
    if (entry === undefined) throw new Error(`There is no branch ${branchName ?? 'that is active'} at ${seq}`);
    const [id, { name, headId }] = entry;
    return { seq, branch: { id, name }, previousHeadId: headId, head: asHead(headId) };
  }

  #activate(event: Extract<FollowedEvent, { __typename: 'BranchActivated' }>): ExpectedUpdate {
    const { seq } = event;
    const branch = event.branch!;
    const previousHeadId = this.#branches.get(this.#activeId ?? '')?.headId ?? null;
    const headId = this.#branches.get(branch.id)?.headId ?? null;
    this.#activeId = branch.id;
    return { seq, branch, previousHeadId, head: asHead(headId) };
  }

  #move(event: Extract<FollowedEvent, { __typename: 'BranchCreated' | 'BranchHeadMoved' }>): ExpectedUpdate {
    const { seq } = event;
    const branch = event.branch!;
    const headId = (event.__typename === 'BranchCreated' ? event.beginsAt : event.headId) ?? null;
    const previousHeadId = this.#branches.get(branch.id)?.headId ?? null;
    this.#branches.set(branch.id, { name: branch.name, headId });
    return { seq, branch, previousHeadId, head: asHead(headId) };
  }
}

function asHead(id: string | null): { id: string } | null {
  return id === null ? null : { id };
}
