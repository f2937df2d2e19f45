/** Lists small faults ("mutants") of a source file, each a single replacement of text. */
import ts from 'typescript';

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

export const parse = (file: string, source: string): ts.SourceFile =>
  ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);

/** The blocks and the expressions of arrow functions, in the order of their beginnings. */
export function blocksOf(tree: ts.SourceFile): ts.Node[] {
  const blocks: ts.Node[] = [];
  visit(tree, (node) => {
    const isArrowResult = ts.isArrowFunction(node.parent) && node.parent.body === node;
    if (ts.isBlock(node) || ts.isCaseClause(node) || isArrowResult) blocks.push(node);
  });
  return blocks;
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = parse(file, source);
  const lines = source.split('\n');
  const blockNumbers = new Map(blocksOf(tree).map((block, number) => [block, number]));
  const mutants: Mutant[] = [];
  visit(tree, (node) => {
    for (const [start, end, text] of replacements(node)) {
      const line = tree.getLineAndCharacterOfPosition(start).line;
      let block: ts.Node = node;
      while (!blockNumbers.has(block) && !ts.isSourceFile(block)) block = block.parent;
      const change = `${shortened(source.slice(start, end))} → ${shortened(text) || 'nothing'}`;
      const position = { file, line: line + 1, source: lines[line]!.trim() };
      mutants.push({ ...position, change, block: blockNumbers.get(block) ?? -1, start, end, text });
    }
  });
  return mutants;
}

type Replacement = [start: number, end: number, text: string];

function* replacements(node: ts.Node): Generator<Replacement> {
  const whole = (text: string): Replacement => [node.getStart(), node.end, text];
  const isMember = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  const token = isMember || ts.isCallExpression(node) ? node.questionDotToken : undefined;
  if (token !== undefined) yield [token.getStart(), token.end, ts.isPropertyAccessExpression(node) ? '.' : ''];
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    for (const text of ['true', 'false']) yield [condition.getStart(), condition.end, text];
  } else if (ts.isWhileStatement(node)) {
    yield [node.expression.getStart(), node.expression.end, 'false'];
  } else if (ts.isBinaryExpression(node)) {
    yield* binaryReplacements(node);
  } else if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.ExclamationToken) yield whole(node.operand.getText());
  } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
    if (!ts.isLiteralTypeNode(node.parent)) yield whole(String(node.kind === ts.SyntaxKind.FalseKeyword));
  } else if (ts.isStringLiteral(node) || ts.isTemplateExpression(node)) {
    if (isShortText(node)) yield whole("''");
  } else if (ts.isArrayLiteralExpression(node)) {
    const isPattern = ts.isBinaryExpression(node.parent) && node.parent.left === node;
    if (node.elements.length > 0 && !isPattern && !ts.isForOfStatement(node.parent)) yield whole('[]');
  } else if (ts.isExpressionStatement(node)) {
    if (isRemovable(node.expression)) yield whole(';');
  } else if (ts.isContinueStatement(node)) {
    yield whole(';');
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    if (REMOVED_CALLS.test(name.text)) yield whole(expression.getText());
    const other = Object.hasOwn(METHODS, name.text) ? METHODS[name.text] : undefined;
    if (other !== undefined) yield [name.getStart(), name.end, other];
  }
}

function* binaryReplacements({ left, operatorToken: operator, right }: ts.BinaryExpression): Generator<Replacement> {
  const symbol = operator.getText();
  const other = OPERATORS[symbol];
  const isNumber = [left, right].some((side) => ts.isNumericLiteral(side) || ts.isBigIntLiteral(side));
  if (other !== undefined) yield [operator.getStart(), operator.end, other];
  else if (symbol === '+' && isNumber) yield [operator.getStart(), operator.end, '-'];
  else if (symbol === '??') yield [left.end, right.end, ''];
}

/** Texts with spaces are descriptions, messages and SQL. */
function isShortText(node: ts.StringLiteral | ts.TemplateExpression): boolean {
  const text = node.getText();
  const { parent } = node;
  const isExpression = ts.isExpression(parent) || ts.isVariableDeclaration(parent) || ts.isReturnStatement(parent);
  const isValue = ts.isPropertyAssignment(parent) && parent.initializer === node;
  return text.length > 2 && !text.includes(' ') && (isExpression || isValue) && !ts.isTaggedTemplateExpression(parent);
}

/** Calls, assignments and deletions. `super(…)` and a text such as 'use client' cannot be removed. */
function isRemovable(expression: ts.Expression): boolean {
  if (ts.isAwaitExpression(expression)) return isRemovable(expression.expression);
  if (ts.isCallExpression(expression)) return expression.expression.kind !== ts.SyntaxKind.SuperKeyword;
  return !ts.isStringLiteral(expression);
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= MAX_CHANGE_CHARACTERS ? line : `${line.slice(0, MAX_CHANGE_CHARACTERS)}…`;
}

/** Visits all nodes except types, imports and exports of names, in the order of the text. */
function visit(node: ts.Node, visitor: (node: ts.Node) => void): void {
  ts.forEachChild(node, (child) => {
    if (ts.isTypeNode(child) || ts.isImportDeclaration(child) || ts.isExportDeclaration(child)) return;
    if (ts.isInterfaceDeclaration(child) || ts.isTypeAliasDeclaration(child)) return;
    visitor(child);
    visit(child, visitor);
  });
}
