import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jumpOfChild, type JumpNode } from '../../src/conversation/saving/jumps.js';

interface TreeNode extends JumpNode {
  parent: TreeNode | null;
  jump: TreeNode;
}

/** Grows a tree as saving does: each node derives its jump only from the ladder of its parent. */
class Tree {
  readonly nodes: TreeNode[] = [];
  readonly #byId = new Map<string, TreeNode>();

  add(parent: TreeNode | null): TreeNode {
    const id = `n${this.nodes.length}`;
    const node = { id, parent, depth: parent === null ? 0 : parent.depth + 1 } as TreeNode;
    const jumpId = parent === null ? id : this.#jumpUnder(parent);
    Object.assign(node, { jumpId, jump: this.#byId.get(jumpId) ?? node });
    this.nodes.push(node);
    this.#byId.set(id, node);
    return node;
  }

  #jumpUnder(parent: TreeNode): string {
    const ladder = new Map([parent, ...this.ladder(parent)].map((node) => [node.id, node]));
    return jumpOfChild(parent, (id) => {
      const found = ladder.get(id);
      if (found === undefined) throw new Error(`${id} is not on the ladder of ${parent.id}`);
      return found;
    });
  }

  ladder(from: TreeNode): TreeNode[] {
    const steps: TreeNode[] = [];
    for (let node = from; node.jump !== node; node = node.jump) steps.push(node.jump);
    return steps;
  }
}

/** Climbs to a depth: by jumps that do not go too far, otherwise by parents. */
function climb(from: TreeNode, depth: number): { node: TreeNode; steps: number } {
  let node = from;
  let steps = 0;
  for (; node.depth > depth; steps++) {
    if (node.jump.depth >= depth) node = node.jump;
    else if (node.parent !== null) node = node.parent;
  }
  return { node, steps };
}

function ancestors(node: TreeNode): TreeNode[] {
  const path: TreeNode[] = [];
  for (let at: TreeNode | null = node; at !== null; at = at.parent) path.push(at);
  return path;
}

/**
 * The length of a jump from a depth, computed independently: write the depth as a sum of the largest numbers 1, 3, 7,
 * 15, … that fit, and take the last of them.
 */
function jumpLength(depth: number): number {
  let last = 0;
  for (let rest = depth; rest > 0; rest -= last) last = 2 ** Math.floor(Math.log2(rest + 1)) - 1;
  return last;
}

const mostSteps = (depth: number) => 3 * Math.log2(depth + 1) + 1;

/** Trees of up to 300 nodes: the distance of each node's parent in the list; -1 starts another root. */
const trees = fc.array(fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: -1, max: 40 })), {
  maxLength: 300,
  size: 'max',
});

function grow(steps: readonly number[]): Tree {
  const tree = new Tree();
  for (const back of steps) {
    tree.add(back < 0 ? null : (tree.nodes.at(-1 - Math.min(back, tree.nodes.length - 1)) ?? null));
  }
  return tree;
}

describe('jumps', () => {
  it('reference an ancestor for each message, and the root itself for a root', () => {
    fc.assert(
      fc.property(trees, (steps) => {
        for (const node of grow(steps).nodes) {
          if (node.parent === null) expect(node.jump).toBe(node);
          else expect(ancestors(node.parent)).toContain(node.jump);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('have the length that skew binary numbers define', () => {
    fc.assert(
      fc.property(trees, (steps) => {
        for (const node of grow(steps).nodes) expect(node.depth - node.jump.depth).toBe(jumpLength(node.depth));
      }),
      { numRuns: 25 },
    );
  });

  it('reach every ancestor in a few steps', () => {
    fc.assert(
      fc.property(trees, (steps) => {
        for (const node of grow(steps).nodes) {
          for (const ancestor of ancestors(node)) {
            const reached = climb(node, ancestor.depth);
            if (reached.node !== ancestor) throw new Error(`${node.id} misses ${ancestor.id}`);
            if (reached.steps > mostSteps(node.depth)) throw new Error(`${node.id} needs ${reached.steps} steps`);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it('also along a chain of 100,000 messages, whose ladders stay short', () => {
    const tree = new Tree();
    for (let n = 0; n < 100_000; n++) tree.add(tree.nodes.at(-1) ?? null);
    const depths = fc.integer({ min: 0, max: 99_999 });
    fc.assert(
      fc.property(depths, depths, (one, other) => {
        const from = tree.nodes[Math.max(one, other)]!;
        const { node, steps } = climb(from, Math.min(one, other));
        expect(node).toBe(tree.nodes[Math.min(one, other)]);
        expect(steps).toBeLessThanOrEqual(mostSteps(from.depth));
        expect(tree.ladder(from).length).toBeLessThanOrEqual(Math.log2(from.depth + 1) + 1);
      }),
    );
  });
});
