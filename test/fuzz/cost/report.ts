/** The worst operations as Markdown: a table of measurements, followed by the documents. */
import { severity, type Find } from './hunt.js';
import { requestOf } from './operation.js';
import type { Figures } from './trial.js';

/** The printed length of a document and its variables. */
const LENGTH = 1_200;
const VARIABLES = 300;

export function printFinds(finds: readonly Find[], quiet: Figures): void {
  const { turn, p99, longest } = quiet;
  console.log(
    `Quiet: the longest turn ${shown(turn)} ms, others' p99 ${shown(p99)} ms, and max ${shown(longest)} ms.\n`,
  );
  console.log(
    '| | of its bound | turn ms | memory MB | others p99 ms | others max ms | times | over | answered | MB | resident MB |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [n, find] of finds.entries()) {
    const { operation, answer, isDeath } = find;
    const over = operation.isOverSocket ? 'WebSocket' : operation.isAnonymous ? 'HTTP, anonymous' : 'HTTP';
    const times = operation.saves > 0 ? `${operation.times}, then a save of ${operation.saves}` : operation.times;
    const answered = isDeath ? '**the process ended**' : (answer.code ?? 'data');
    const figures = [
      `${shown(severity(find, quiet))}×`,
      ...[find.turn, find.grownBytes / 1e6, find.p99, find.longest].map(shown),
      ...[times, over, answered],
      ...[answer.bytes / 1e6, find.residentBytes / 1e6].map(shown),
    ];
    console.log(`| ${n + 1} | ${figures.join(' | ')} |`);
  }
  for (const [n, { operation }] of finds.entries()) {
    const { query, variables } = requestOf(operation);
    console.log(`\n${n + 1}. ${cut(query, LENGTH)}\n   ${cut(JSON.stringify(variables), VARIABLES)}`);
  }
}

function shown(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}
