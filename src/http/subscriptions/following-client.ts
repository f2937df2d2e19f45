import { Answer } from './answer.js';
import type { Follower } from './follower.js';
import type { Member, Run, SubscriptionGroup } from './subscription-group.js';

/** A client of a subscription, on its own with a run or in a group. */
export class FollowingClient implements Member {
  position = 0;
  hasLeft = false;
  #run: Run | null = null;
  #group: SubscriptionGroup | null = null;

  constructor(
    private readonly follower: Follower,
    private readonly onLeave: () => void,
  ) {}

  /** Takes all answers of a run, each when the one before has been taken. */
  async follow(run: Run): Promise<void> {
    this.#run = run;
    while (!this.hasLeft) {
      const result = await run.results.next();
      if (result.done) break;
      const answer = new Answer(result.value);
      if (answer.has('GONE')) continue;
      if (answer.has('DATABASE_UNAVAILABLE')) return this.fail(answer);
      if (!(await this.follower.write(answer))) return this.leave();
    }
    this.#run = null;
    this.position = run.following.position;
  }

  join(group: SubscriptionGroup): void {
    this.#group = group;
    group.add(this);
  }

  push(answer: Answer): void {
    this.follower.push(answer);
  }

  complete(): void {
    if (this.hasLeft) return;
    this.leave();
    this.follower.complete();
  }

  fail({ errors }: Answer): void {
    if (this.hasLeft) return;
    this.leave();
    this.follower.fail(errors);
  }

  cutOff(): void {
    this.leave();
    this.follower.cutOff();
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    void this.#run?.results.return?.();
    this.#group?.remove(this);
    this.onLeave();
  }
}
