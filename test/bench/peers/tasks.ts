/** The tasks of each subject, and the check that it has done them. */

export interface Task {
  what: string;
  /** The number of turns of five repetitions. */
  rounds: number;
  /** Text that the response of a read must contain this often; null for saves. */
  expected: { text: string; count: number } | null;
}

/** All reads use the large database of some 20,000 messages. */
export const TASKS = {
  empty: { what: 'an empty request: `{ __typename }`', rounds: 20, expected: { text: 'Query', count: 1 } },
  chat: { what: 'a chat by its id', rounds: 20, expected: { text: '"id":"chain10000"', count: 1 } },
  chain1000: { what: 'a chain of 1,000', rounds: 20, expected: { text: '"parentId":', count: 1_000 } },
  chain10000: { what: 'a chain of 10,000', rounds: 8, expected: { text: '"parentId":', count: 10_000 } },
  graph: { what: 'the graph of a chat of 10,000', rounds: 8, expected: { text: '"parentId":', count: 10_000 } },
  saveSmall: { what: 'saving a question and an answer at 1,000 messages', rounds: 20, expected: null },
  saveLarge: { what: 'the same at 20,000', rounds: 20, expected: null },
  rare: { what: 'search of a word of ten messages of 10,000', rounds: 12, expected: { text: '"snippet":', count: 10 } },
  common: { what: 'search of a word of all of 10,000', rounds: 12, expected: { text: '"snippet":', count: 20 } },
  branches: {
    what: 'the list of 100 branches of 100 messages, counted',
    rounds: 20,
    expected: { text: '"messageCount":100', count: 100 },
  },
} satisfies Record<string, Task>;

export type TaskName = keyof typeof TASKS;

/** The two databases of each subject. */
export type Size = 'small' | 'large';

/** One of the compared products. */
export interface Subject {
  /** Returns the response of a task as JSON; null if it has no such task. */
  answer(task: TaskName): Promise<string | null>;
  /** Returns the durations of `count` repetitions of a task, in milliseconds. */
  times(task: TaskName, count: number): Promise<number[]>;
}
