import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../support/effort.js';
import { databaseForAll } from '../../support/database/database-scope.js';
import { message, type Conversation, type MappingNode } from './readers/chatgpt-export.js';
import { importContent, importedChats, type ImportedChat } from './imported-chats.js';

const database = databaseForAll();

async function chatOf(conversationId: string): Promise<ImportedChat> {
  const chat = (await importedChats(database))[conversationId];
  if (chat === undefined) throw new Error(`"${conversationId}" was not imported`);
  return chat;
}

interface Plan {
  /** For each node which of those before it, or -1, is its parent. */
  parents: number[];
  isNull: boolean[];
  order: number[];
  hasChildren: boolean;
  hasParents: boolean;
  current: number;
}

const plans: fc.Arbitrary<Plan> = fc.integer({ min: 1, max: 25 }).chain((size) =>
  fc.record({
    parents: fc.tuple(
      ...Array.from({ length: size }, (_, n) => fc.integer({ min: n === 0 ? -1 : -Number(n % 5 === 0), max: n - 1 })),
    ),
    isNull: fc.array(
      fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      { minLength: size, maxLength: size },
    ),
    order: fc.shuffledSubarray(
      Array.from({ length: size }, (_, n) => n),
      { minLength: size, maxLength: size },
    ),
    hasChildren: fc.boolean(),
    hasParents: fc.boolean(),
    current: fc.integer({ min: 0, max: size }),
  }),
);

/** The conversation as in a file: nodes without parents are linked by children. */
function exported({ parents, isNull, order, hasChildren, hasParents, current }: Plan, id: string): Conversation {
  const nodes = parents.map((parent, n): MappingNode => {
    const links: Pick<MappingNode, 'parent' | 'children'> = {};
    if (hasParents || !hasChildren) links.parent = parent === -1 ? null : `n${parent}`;
    if (hasChildren) links.children = parents.flatMap((each, child) => (each === n ? [`n${child}`] : []));
    return { id: `n${n}`, message: isNull[n] ? null : message(`n${n}`), ...links };
  });
  const mapping: Conversation['mapping'] = {};
  for (const node of order.flatMap((n) => nodes[n] ?? [])) mapping[node.id] = node;
  return { title: 't', create_time: 1, update_time: 2, conversation_id: id, current_node: `n${current}`, mapping };
}

/** The expected tree: built recursively from the plan instead of the file. */
function expectedTree({ parents, isNull, order, hasChildren }: Plan): string[] {
  const inFile = (a: number, b: number) => order.indexOf(a) - order.indexOf(b);
  const below = (parent: number): number[] => {
    const children = parents.flatMap((each, child) => (each === parent ? [child] : []));
    return parent === -1 || !hasChildren ? children.sort(inFile) : children;
  };
  const lines = (node: number, kept: string | null): string[] => {
    const own = isNull[node] ? [] : [kept === null ? `n${node}` : `n${node} < ${kept}`];
    return [...own, ...below(node).flatMap((child) => lines(child, isNull[node] ? kept : `n${node}`))];
  };
  return below(-1).flatMap((root) => lines(root, null));
}

it('an imported tree has the same graph, and exactly one branch for each leaf', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const id = `c${number++}`;
      const report = await importContent(database, [exported(plan, id)]);
      expect(report.failures.kept).toEqual([]);
      const chat = await chatOf(id);
      const tree = expectedTree(plan);
      expect(chat.tree).toEqual(tree);

      const parents = new Set(chat.messages.map((each) => each.parent));
      const leaves = chat.messages.map((each) => each.node).filter((node) => !parents.has(node));
      const main = chat.branches['main'] ?? null;
      const heads = Object.values(chat.branches);
      expect(new Set(heads)).toEqual(new Set([...leaves, main]));
      expect(heads).toHaveLength(new Set(heads).size);
      await database.store.remove(chat.id, 'local');
    }),
    { numRuns: runs(150) },
  );
});

it('a tree that is imported in part and then completely has each message once', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(plans, fc.nat(), async (plan, cut) => {
      const id = `r${number++}`;
      const whole = exported({ ...plan, hasParents: true }, id);
      const kept = new Set(plan.parents.map((_, n) => `n${n}`).slice(0, cut % (plan.parents.length + 1)));
      const part = Object.fromEntries(Object.entries(whole.mapping).filter(([node]) => kept.has(node)));
      await importContent(database, [{ ...whole, mapping: part }]);
      const report = await importContent(database, [whole]);
      expect(report.failures.kept).toEqual([]);
      const chat = await chatOf(id);
      expect(chat.tree.toSorted()).toEqual(expectedTree(plan).toSorted());

      // Every message is on the way to some head.
      const parentOf = new Map(chat.messages.map((each) => [each.node, each.parent]));
      const reached = new Set<string>();
      for (const head of Object.values(chat.branches)) {
        for (let at = head; at != null; at = parentOf.get(at) ?? null) reached.add(at);
      }
      expect(reached.size).toBe(chat.messages.length);

      const rows = await database.allRows();
      await importContent(database, [whole]);
      expect(await database.allRows()).toEqual(rows);
      await database.store.remove(chat.id, 'local');
    }),
    { numRuns: runs(100) },
  );
});
