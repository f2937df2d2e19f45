/** The rules of all readers: see docs/import.md. They only look for the marks of texts. */
import { marksIn, read, sampleOf, shownBy, type Read } from './marked-sample.js';
import type { ChangedFile } from './changes.js';
import { sourceTexts, type SourceTexts } from './source-texts.js';

export interface BrokenRule {
  readonly name: string;
  readonly detail: string;
}

/** Changes that alter the meaning of a format, in which a line changes or replaces earlier ones. */
const MEANT = new Set([
  'order of copilot-chat.jsonl',
  'ids of gemini-cli.jsonl',
  'order of gemini-cli.jsonl',
  'order of codex.jsonl',
  'order of pi.jsonl',
  'order of kimi-cli.jsonl',
]);
/** Messages without the id of a chat are one conversation. */
const WITHOUT_CHATS = new Set(['lines.jsonl', 'cline.jsonl']);

export async function brokenRules({
  bytes,
  names,
  change,
  values,
  text,
  sentence,
}: ChangedFile): Promise<BrokenRule[]> {
  const [name = ''] = names;
  if (MEANT.has(`${change} of ${name}`)) return [];
  const found = await read(bytes).catch((error: unknown) => String(error));
  // The file is refused as a whole.
  if (typeof found === 'string') return [];
  const conversations = found.filter((each): each is Read => 'conversation' in each);
  const faults = found.flatMap((each) => ('fault' in each ? [each.fault] : []));
  const warnings = conversations.flatMap(({ conversation }) => conversation.warnings);
  const broken: BrokenRule[] = [];
  const reported = faults.length + warnings.length > 0;
  const known = new Set(conversations.flatMap(({ conversation }) => [...marksOfAll(conversation)]));
  const lost = [...marksIn(text)].filter((each) => !known.has(each));
  if (lost.length > 0 && !reported && change !== 'end') {
    broken.push({ name: 'a text is lost without a word', detail: `${lost.length} of ${marksIn(text).size} texts` });
  }
  if (sentence !== undefined && lost.length === 0) {
    const shown = conversations.flatMap(({ conversation: { nodes } }) => nodes.map(shownBy));
    if (!shown.some((each) => each.includes(sentence))) {
      broken.push({ name: 'a text is changed', detail: `${sentence} became ${shown.join()}` });
    }
  }
  const source = sourceTexts(values);
  for (const { conversation } of conversations) {
    const id = `under the id ${conversation.conversationId}`;
    const marks = marksOfAll(conversation);
    const from = new Set([...marks].map(sampleOf));
    if (from.size > 1 && !names.some((each) => WITHOUT_CHATS.has(each)))
      broken.push({ name: 'two conversations are one', detail: id });
    const chats = mixedChats(marks, source);
    if (chats !== null) broken.push({ name: 'a text is in a chat of another conversation', detail: `${chats}; ${id}` });
    const isReported = faults.length + conversation.warnings.length > 0;
    const answer = misplacedAnswer(conversation, source, isReported ? known : null);
    if (answer !== null) broken.push({ name: 'an answer is under another question', detail: answer });
  }
  const ids = conversations.map(({ conversation: { source: from, conversationId } }) => `${from} ${conversationId}`);
  const repeated = ids.find((id, n) => ids.indexOf(id) !== n);
  if (repeated !== undefined && change === 'none')
    broken.push({ name: 'two conversations have one id', detail: repeated });
  return broken;
}

/** Two ids of chats that texts of one conversation have, and that no text has both. */
function mixedChats(marks: ReadonlySet<string>, { chats }: SourceTexts): string | null {
  const known = [...marks].flatMap((each) => chats.get(each) ?? []);
  const [first] = known;
  if (first === undefined) return null;
  for (const ids of known) {
    const [id] = ids;
    const [member] = id!.split(':');
    const other = known.flatMap((each) => [...each]).find((each) => each.startsWith(`${member}:`) && !ids.has(each));
    const isShared = known.some((each) => each.has(id!) && other !== undefined && each.has(other));
    if (other !== undefined && !isShared) return `${id} and ${other}`;
  }
  return null;
}

/**
 * An answer whose nearest question above is not one of those that the file gives it.
 * @param reported the texts that were read, if there are warnings or faults
 */
function misplacedAnswer(
  { nodes }: Read['conversation'],
  { asked, questions }: SourceTexts,
  reported: ReadonlySet<string> | null,
): string | null {
  const byId = new Map(nodes.map((node) => [node.id, { parentId: node.parentId, marks: marksIn(shownBy(node)) }]));
  for (const node of byId.values()) {
    const allowed = new Set([...node.marks].flatMap((each) => [...(questions.get(each) ?? [])]));
    if (allowed.size === 0 || [...node.marks].some((each) => asked.has(each))) continue;
    let above = byId.get(node.parentId ?? '');
    while (above !== undefined && ![...above.marks].some((each) => asked.has(each)))
      above = byId.get(above.parentId ?? '');
    const found = [...(above?.marks ?? [])].filter((each) => asked.has(each));
    // A missing parent begins a path of its own, or follows the message before it.
    const isLost = reported !== null && (found.length === 0 || ![...allowed].some((each) => reported.has(each)));
    if (isLost) continue;
    if (!found.some((each) => allowed.has(each))) {
      return `${[...node.marks].join()} follows ${found.join() || 'none'} instead of ${[...allowed].join()}`;
    }
  }
  return null;
}

function marksOfAll({ nodes, original, title }: Read['conversation']): Set<string> {
  const texts = nodes.map((node) => `${shownBy(node)}${JSON.stringify(node.content().original)}`);
  return marksIn(`${texts.join('\n')}${JSON.stringify(original)}${title ?? ''}`);
}
