/** Changes of drafts and of their chat. */
import fc from 'fast-check';

type Policy = 'REJECT' | 'FORK' | 'APPEND';

/** Ids by number: of a draft or of an existing message. */
export type Command =
  | {
      kind: 'start';
      draft: number;
      branch: string | null;
      parent: number | null;
      expected: number | 'nothing' | 'head' | 'empty';
      onConflict: Policy;
      name: string;
    }
  | { kind: 'append'; draft: number; behind: number; count: number }
  | { kind: 'stop' | 'discard'; draft: number }
  | { kind: 'finish'; draft: number; text: string | null }
  | { kind: 'save'; branch: string | null; asDraft: number | null; text: string }
  | { kind: 'rewind'; message: number | null }
  | { kind: 'switchBranch' | 'deleteBranch'; name: string }
  | { kind: 'renameBranch'; name: string; newName: string }
  | { kind: 'join'; draft: number; after: number }
  | { kind: 'leave'; follower: number };

const draft = fc.nat(1);
const branch = fc.constantFrom('main', 'main-v2', 'side');
/** Few optional parts, so that most operations are possible. */
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const of = <Kind extends Command['kind']>(kind: Kind) => fc.constant(kind);

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: of('start'),
      draft,
      branch: rarely(branch),
      parent: rarely(fc.nat(5)),
      expected: fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom('nothing' as const, 'nothing' as const, 'head' as const) },
        { weight: 1, arbitrary: fc.oneof(fc.nat(5), fc.constant('empty' as const)) },
      ),
      onConflict: fc.constantFrom('REJECT' as const, 'FORK' as const, 'APPEND' as const),
      name: fc.constantFrom('assistant', 'assistant', 'tool'),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: of('append'),
      draft,
      // A retry, an overlap, the next chunks, or a gap.
      behind: fc.integer({ min: -2, max: 3 }),
      count: fc.integer({ min: 0, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: of('finish'), draft, text: rarely(fc.constantFrom('whole', 'other')) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('stop' as const, 'discard' as const), draft }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: of('save'),
      branch: rarely(branch),
      asDraft: rarely(draft),
      text: fc.constantFrom('save', 'whole'),
    }),
  },
  fc.record({ kind: of('rewind'), message: maybe(fc.nat(5)) }),
  fc.record({ kind: fc.constantFrom('switchBranch' as const, 'deleteBranch' as const), name: branch }),
  fc.record({ kind: of('renameBranch'), name: branch, newName: branch }),
  { weight: 6, arbitrary: fc.record({ kind: of('join'), draft, after: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('leave'), follower: fc.nat(4) }) },
);

/** Starts with drafts, so that commands find one. */
export const BEGINNING: Command[] = [
  { kind: 'save', branch: null, asDraft: null, text: 'question' },
  ...[0, 1].map((draft) => ({
    kind: 'start' as const,
    draft,
    branch: null,
    parent: null,
    expected: 'nothing' as const,
    onConflict: 'FORK' as const,
    name: 'assistant',
  })),
];
