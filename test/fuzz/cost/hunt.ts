/** Searches for the operations that delay other users most: composes operations, and varies expensive ones. */
import { getNamedType, isLeafType } from 'graphql';
import { MAX_TURN_MS } from './bounds.js';
import type { Choices } from './choices.js';
import { compose } from './compose.js';
import { fieldsOf, type Operation } from './operation.js';
import type { TrialRunner, Figures, Outcome } from './trial.js';
import { changed, vary } from './vary.js';

export interface Find extends Outcome {
  operation: Operation;
}

/** The number of kinds whose operations are varied. */
const KEPT = 16;

/** The number of reported finds, and of repeated trials of each. */
const MAX_REPORTED = 8;
const TRIALS = 3;

/** The share of the time for removing fields of finds, and the share of the cost that counts as unchanged. */
const SIMPLIFYING = 0.25;
const SAME = 0.8;

/** The 99th percentile of others' waits as a multiple of the quiet one: only for the order of finds. */
const MAX_SLOWDOWN = 10;

/** Runs for a time. @returns the worst find of each kind, worst first */
export async function hunt(runner: TrialRunner, choices: Choices, ms: number): Promise<Find[]> {
  const { quiet } = runner;
  const ends = Date.now() + ms * (1 - SIMPLIFYING);
  const worst = new Map<string, Find>();
  let tried = 0;
  while (Date.now() < ends) {
    const known = ranked(worst, quiet).slice(0, KEPT);
    // No operation is known at first, and new ones remain useful later.
    const isNew = known.length < KEPT || choices.chance(0.25);
    const operation = isNew ? compose(choices) : vary(choices.pick(known).operation, choices);
    const find = { operation, ...(await runner.try(operation)) };
    tried++;
    const kind = kindOf(operation);
    const before = worst.get(kind);
    if (before === undefined || severity(find, quiet) > severity(before, quiet)) worst.set(kind, find);
  }
  console.log(`${tried} operations of ${worst.size} kinds.\n`);
  const finds: Find[] = [];
  for (const [n, find] of ranked(worst, quiet).slice(0, MAX_REPORTED).entries()) {
    const until = ends + (ms * SIMPLIFYING * (n + 1)) / MAX_REPORTED;
    finds.push(await simplest(runner, await again(runner, find), until));
  }
  return finds.sort((a, b) => severity(b, quiet) - severity(a, quiet));
}

/** The cost as a multiple of its bound, by the largest of three measurements. */
export function severity({ turn, p99, grownBytes, budgetBytes, isDeath }: Outcome, quiet: Figures): number {
  const slowdown = p99 / quiet.p99 / MAX_SLOWDOWN;
  return isDeath ? Infinity : Math.max(turn / MAX_TURN_MS, grownBytes / budgetBytes, slowdown);
}

/** Whether it exceeds a bound that a busy machine does not affect. */
export function isExcess({ turn, grownBytes, budgetBytes, isDeath }: Outcome): boolean {
  return isDeath || turn > MAX_TURN_MS || grownBytes > budgetBytes;
}

function ranked(worst: ReadonlyMap<string, Find>, quiet: Figures): Find[] {
  return [...worst.values()].sort((a, b) => severity(b, quiet) - severity(a, quiet));
}

/** The median cost of several trials: a single expensive trial may be noise. */
async function again(runner: TrialRunner, { operation }: Find): Promise<Find> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < TRIALS) outcomes.push(await runner.try(operation));
  const [, middle] = outcomes.sort((a, b) => severity(a, runner.quiet) - severity(b, runner.quiet));
  return { operation, ...middle! };
}

/** Removes parts that do not contribute, as far as time permits. */
async function simplest(runner: TrialRunner, find: Find, until: number): Promise<Find> {
  let simple = find;
  for (const field of fieldsOf(find.operation.selections)) {
    const selections = changed(simple.operation.selections, field, () => []);
    // Already removed with an outer field, or the whole operation.
    const isLess = fieldsOf(selections).length < fieldsOf(simple.operation.selections).length;
    if (selections.length === 0 || !isLess || simple.isDeath) continue;
    if (Date.now() > until) break;
    const operation = { ...simple.operation, selections };
    const without = { operation, ...(await runner.try(operation)) };
    if (severity(without, runner.quiet) > severity(simple, runner.quiet) * SAME) simple = without;
  }
  return simple;
}

/** Groups operations by the lists that they read, or by their mutation. */
function kindOf({ kind, isOverSocket, selections }: Operation): string {
  const names = fieldsOf(selections)
    .filter(({ definition }) => definition !== null && !isLeafType(getNamedType(definition.type)))
    .map(({ parent, definition }) => `${parent.name}.${definition!.name}`)
    .filter((name) => !/\.(edges|node|pageInfo)$/.test(name));
  return `${kind} ${isOverSocket ? 'socket' : 'http'} ${[...new Set(names)].sort().slice(0, 3).join(' ')}`;
}
