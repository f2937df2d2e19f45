import type { GraphData } from './store-data.js';

/**
 * The graph of a chat as a Mermaid flowchart: messages below their parents, with dotted arrows from the branches and checkpoints
 * that name them and from the messages that they draw on.
 */
export function visualizeGraph({ nodes, branches, checkpoints }: GraphData): string {
  const numbers = new Map(nodes.map(({ id }, n) => [id, `m${n}`]));
  const arrow = (from: string | undefined, kind: string, to: string | undefined) =>
    from === undefined || to === undefined ? [] : [`  ${from} ${kind} ${to}`];
  const lines = nodes.flatMap(({ id, parentId, role, content, sourceIds = [] }) => {
    const own = numbers.get(id);
    return [
      `  ${own}["${escaped(`${role}: ${content}`)}"]`,
      ...arrow(numbers.get(parentId ?? ''), '-->', own),
      ...sourceIds.flatMap((sourceId) => arrow(numbers.get(sourceId), '-.->', own)),
    ];
  });
  for (const [n, { name, headMessageId, isActive }] of branches.entries()) {
    lines.push(`  b${n}(["${escaped(isActive ? `${name} (active)` : name)}"])`);
    lines.push(...arrow(`b${n}`, '-.->', numbers.get(headMessageId ?? '')));
  }
  for (const [n, { name, messageId }] of checkpoints.entries()) {
    lines.push(`  c${n}{{"${escaped(name)}"}}`, ...arrow(`c${n}`, '-.->', numbers.get(messageId)));
  }
  return ['flowchart TD', ...lines].join('\n');
}

/** Text between the quotes of a label: one line, without quotes, markup, or codes of characters. */
function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/["#&<>]/g, (character) => `#${character.charCodeAt(0)};`);
}
