/** Lists small faults ("mutants") of a source file, each a single replacement of text. */
import { parseAst } from 'rolldown/parseAst';
import type { ESTree } from 'rolldown/utils';

export interface Mutant {
  /** Path from the root of the repository. */
  file: string;
  /** From 1. */
  line: number;
  /** The trimmed text of the line, which identifies the mutant after changes of other lines. */
  source: string;
  /** The old and the new text, shortened. */
  change: string;
  /** The innermost block with the mutant, in the order of `blocksOf`; -1 outside of all blocks. */
  block: number;
  start: number;
  end: number;
  text: string;
}

const OPERATORS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};
const METHODS: Record<string, string> = {
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};
/** Calls that are replaced by the value on which they are called. */
const REMOVED_CALLS = /^(?:(?:to)?(?:Sorted|Reversed)|sort|reverse|filter|slice|trim|toLowerCase)$/;
const MAX_CHANGE_CHARACTERS = 70;

/** Whether a file contains code of the server or of a package. */
export const isMutable = (file: string): boolean =>
  /^(src|packages\/\w+\/src)\/(?!generated\/).*(?<!\.d)\.tsx?$/.test(file);

type Node = ESTree.Node;
type NodeOf<Type extends Node['type']> = Extract<Node, { type: Type }>;

/** The blocks, the cases and the results of arrow functions, in the order of their beginnings. */
export function blocksOf(file: string, source: string): Node[] {
  const blocks: Node[] = [];
  visit(parse(file, source), [], (node, [parent]) => {
    if (isBlock(node, parent)) blocks.push(node);
  });
  return blocks;
}

const parse = (file: string, source: string) => parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' });

function isBlock(node: Node, parent: Node | undefined): boolean {
  const isArrowResult = parent?.type === 'ArrowFunctionExpression' && parent.body === node;
  return node.type === 'BlockStatement' || node.type === 'SwitchCase' || isArrowResult;
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const starts = Array.from(source.matchAll(/^/gm), ({ index }) => index);
  const blockNumbers = new Map<Node, number>();
  const mutants: Mutant[] = [];
  visit(parse(file, source), [], (node, parents) => {
    if (isBlock(node, parents[0])) blockNumbers.set(node, blockNumbers.size);
    for (const [start, end, text] of replacements(node, parents[0], source)) {
      const line = starts.findLastIndex((index) => index <= start);
      const block = [node, ...parents].find((each) => blockNumbers.has(each));
      const change = `${shortened(source.slice(start, end))} → ${shortened(text) || 'nothing'}`;
      const position = { file, line: line + 1, source: source.slice(starts[line], starts[line + 1]).trim() };
      mutants.push({ ...position, change, block: block ? blockNumbers.get(block)! : -1, start, end, text });
    }
  });
  return mutants;
}

type Replacement = [start: number, end: number, text: string];

function* replacements(node: Node, parent: Node | undefined, source: string): Generator<Replacement> {
  const whole = (text: string): Replacement => [node.start, node.end, text];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  switch (node.type) {
    case 'MemberExpression':
      if (node.optional) yield mark('?.', node.object.end, node.computed ? '' : '.', source);
      return;
    case 'IfStatement':
    case 'ConditionalExpression':
      for (const text of ['true', 'false']) yield [node.test.start, node.test.end, text];
      return;
    case 'WhileStatement':
      yield [node.test.start, node.test.end, 'false'];
      return;
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      yield* binaryReplacements(node, source);
      return;
    case 'UnaryExpression':
      if (node.operator === '!') yield whole(textOf(node.argument));
      return;
    case 'Literal':
      if (typeof node.value === 'boolean') yield whole(String(!node.value));
      else if (typeof node.value === 'string' && isShortText(node, parent, source)) yield whole("''");
      return;
    case 'TemplateLiteral':
      if (node.expressions.length > 0 && isShortText(node, parent, source)) yield whole("''");
      return;
    case 'ArrayExpression':
      if (node.elements.length > 0 && parent?.type !== 'ForOfStatement') yield whole('[]');
      return;
    case 'ExpressionStatement':
      if (isRemovable(node.expression)) yield whole(';');
      return;
    case 'ContinueStatement':
      yield whole(';');
      return;
    case 'CallExpression':
      yield* callReplacements(node, source);
      return;
    default:
  }
}

function* callReplacements(call: NodeOf<'CallExpression'>, source: string): Generator<Replacement> {
  const { callee } = call;
  if (call.optional) yield mark('?.', callee.end, '', source);
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || callee.computed) return;
  const { name, start, end } = callee.property;
  if (REMOVED_CALLS.test(name)) yield [call.start, call.end, source.slice(callee.object.start, callee.object.end)];
  const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (other !== undefined) yield [start, end, other];
}

type Binary = NodeOf<'BinaryExpression' | 'LogicalExpression' | 'AssignmentExpression'>;

function* binaryReplacements({ left, operator, right }: Binary, source: string): Generator<Replacement> {
  const other = OPERATORS[operator];
  const isNumber = [left, right].some((side) => side.type === 'Literal' && /number|bigint/.test(typeof side.value));
  if (other !== undefined) yield mark(operator, left.end, other, source);
  else if (operator === '+' && isNumber) yield mark(operator, left.end, '-', source);
  else if (operator === '??') yield [left.end, right.end, ''];
}

/** The replacement of a mark that follows a node. */
function mark(old: string, after: number, text: string, source: string): Replacement {
  const start = source.indexOf(old, after);
  return [start, start + old.length, text];
}

/** Texts with spaces are descriptions, messages and SQL. */
function isShortText({ start, end }: Node, parent: Node | undefined, source: string): boolean {
  const text = source.slice(start, end);
  if (parent === undefined || parent.type === 'TaggedTemplateExpression') return false;
  const isValue = parent.type === 'Property' && parent.value.start === start;
  const isExpression = /Expression$|^VariableDeclarator$|^ReturnStatement$/.test(parent.type);
  return text.length > 2 && !text.includes(' ') && (isExpression || isValue);
}

/** Calls, assignments and deletions. `super(…)` and a text such as 'use client' cannot be removed. */
function isRemovable(expression: Node): boolean {
  if (expression.type === 'AwaitExpression') return isRemovable(expression.argument);
  if (expression.type === 'CallExpression') return expression.callee.type !== 'Super';
  return expression.type !== 'Literal';
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= MAX_CHANGE_CHARACTERS ? line : `${line.slice(0, MAX_CHANGE_CHARACTERS)}…`;
}

/** Nodes with code; other nodes of TypeScript are types. */
const WITH_CODE = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSParameterProperty']);

/**
 * Visits all nodes except types, imports and exports of names, in the order of the text.
 * @param parents the innermost first
 */
function visit(node: Node, parents: readonly Node[], visitor: (node: Node, parents: readonly Node[]) => void): void {
  const within = [node, ...parents];
  const children = Object.values(node).flat() as (Node | null)[];
  const isVisited = (child: Node | null) =>
    typeof child?.type === 'string' &&
    child.type !== 'ImportDeclaration' &&
    (!child.type.startsWith('TS') || WITH_CODE.has(child.type)) &&
    !(child.type === 'ExportNamedDeclaration' && child.declaration === null);
  for (const child of children.filter(isVisited) as Node[]) {
    visitor(child, within);
    visit(child, within, visitor);
  }
}
