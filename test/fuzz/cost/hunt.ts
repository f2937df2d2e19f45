/** The hunt for what costs others most: operations are composed, and those that cost much are varied. */
import { getNamedType, isLeafType } from 'graphql';
import type { Choices } from './choices.js';
import { compose } from './compose.js';
import { fieldsOf, type Operation } from './operation.js';
import type { Court, Figures, Outcome } from './trial.js';
import { changed, vary } from './vary.js';

export interface Find extends Outcome {
  operation: Operation;
}

/** As many kinds of operations as are varied. */
const KEPT = 16;

/** How many are told, and how often each of these is tried again. */
const TOLD = 8;
const TRIALS = 3;

/** For how much of the time fields of finds are tried to do without, and how much of what it costs is still the same. */
const SIMPLIFYING = 0.25;
const SAME = 0.8;

/** Goes on for some time. @returns the worst find of each kind, the worst first */
export async function hunt(court: Court, choices: Choices, ms: number): Promise<Find[]> {
  const { quiet } = court;
  const ends = Date.now() + ms * (1 - SIMPLIFYING);
  const worst = new Map<string, Find>();
  let tried = 0;
  while (Date.now() < ends) {
    const known = ranked(worst, quiet).slice(0, KEPT);
    // Nothing is known to begin with, and something new is never of no use.
    const isNew = known.length < KEPT || choices.chance(0.25);
    const operation = isNew ? compose(choices) : vary(choices.pick(known).operation, choices);
    const find = { operation, ...(await court.try(operation)) };
    tried++;
    const kind = kindOf(operation);
    const before = worst.get(kind);
    if (before === undefined || severity(find, quiet) > severity(before, quiet)) worst.set(kind, find);
  }
  console.log(`${tried} operations of ${worst.size} kinds.\n`);
  const finds: Find[] = [];
  for (const [n, find] of ranked(worst, quiet).slice(0, TOLD).entries()) {
    const until = ends + (ms * SIMPLIFYING * (n + 1)) / TOLD;
    finds.push(await simplest(court, await again(court, find), until));
  }
  return finds.sort((a, b) => severity(b, quiet) - severity(a, quiet));
}

/** How many times the usual it costs, by whichever figure says more. */
export function severity({ turn, p99, isDeath }: Outcome, quiet: Figures): number {
  return isDeath ? Infinity : Math.max(turn / quiet.turn, p99 / quiet.p99);
}

function ranked(worst: ReadonlyMap<string, Find>, quiet: Figures): Find[] {
  return [...worst.values()].sort((a, b) => severity(b, quiet) - severity(a, quiet));
}

/** What it costs when it is tried again: what has cost much once may have had bad luck. */
async function again(court: Court, { operation }: Find): Promise<Find> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < TRIALS) outcomes.push(await court.try(operation));
  const [, middle] = outcomes.sort((a, b) => a.turn + a.p99 - b.turn - b.p99);
  return { operation, ...middle! };
}

/** Without what is not to blame, as far as there is time for attempts. */
async function simplest(court: Court, find: Find, until: number): Promise<Find> {
  let simple = find;
  for (const field of fieldsOf(find.operation.selections)) {
    const selections = changed(simple.operation.selections, field, () => []);
    // Gone with what was around it, or all that there is.
    const isLess = fieldsOf(selections).length < fieldsOf(simple.operation.selections).length;
    if (selections.length === 0 || !isLess || simple.isDeath) continue;
    if (Date.now() > until) break;
    const operation = { ...simple.operation, selections };
    const without = { operation, ...(await court.try(operation)) };
    if (severity(without, court.quiet) > severity(simple, court.quiet) * SAME) simple = without;
  }
  return simple;
}

/** Operations that read or write the same are of a kind: by the lists that they ask for, or by the mutation. */
function kindOf({ kind, isOverSocket, selections }: Operation): string {
  const names = fieldsOf(selections)
    .filter(({ definition }) => definition !== null && !isLeafType(getNamedType(definition.type)))
    .map(({ parent, definition }) => `${parent.name}.${definition!.name}`)
    .filter((name) => !/\.(edges|node|pageInfo)$/.test(name));
  return `${kind} ${isOverSocket ? 'socket' : 'http'} ${[...new Set(names)].sort().slice(0, 3).join(' ')}`;
}
