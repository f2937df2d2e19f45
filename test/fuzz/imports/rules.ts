/** The rules of all readers: see docs/import.md. They only look for the marks of texts. */
import { marksIn, read, sampleOf, shownBy, type Read } from './marked-sample.js';
import type { ChangedFile } from './changes.js';

export interface BrokenRule {
  readonly name: string;
  readonly detail: string;
}

/** Changes that alter the meaning of a format, in which a line changes or replaces earlier ones. */
const MEANT = new Set(['order of copilot-chat.jsonl', 'ids of gemini-cli.jsonl', 'order of gemini-cli.jsonl']);

export async function brokenRules({ bytes, names, change }: ChangedFile): Promise<BrokenRule[]> {
  if (MEANT.has(`${change} of ${names[0]}`)) return [];
  const found = await read(bytes).catch((error: unknown) => String(error));
  // The file is refused as a whole.
  if (typeof found === 'string') return [];
  const conversations = found.filter((each): each is Read => 'conversation' in each);
  const faults = found.flatMap((each) => ('fault' in each ? [each.fault] : []));
  const warnings = conversations.flatMap(({ conversation }) => conversation.warnings);
  const broken: BrokenRule[] = [];
  const reported = faults.length + warnings.length > 0;
  const known = new Set(conversations.flatMap(({ conversation }) => [...marksOf(conversation)]));
  const lost = [...marksIn(textOf(bytes))].filter((each) => !known.has(each));
  if (lost.length > 0 && !reported && change !== 'end') {
    broken.push({
      name: 'a text is lost without a word',
      detail: `${lost.length} of ${marksIn(textOf(bytes)).size} texts`,
    });
  }
  if (names.length > 1) {
    for (const { conversation } of conversations) {
      // Lines without an id of their chat are one conversation.
      if (conversation.formerId !== undefined) continue;
      const from = new Set([...marksOf(conversation)].map(sampleOf));
      if (from.size > 1)
        broken.push({ name: 'two conversations are one', detail: `under the id ${conversation.conversationId}` });
    }
  }
  const ids = conversations.map(({ conversation: { source, conversationId } }) => `${source} ${conversationId}`);
  const repeated = ids.find((id, n) => ids.indexOf(id) !== n);
  if (repeated !== undefined && change === 'none')
    broken.push({ name: 'two conversations have one id', detail: repeated });
  return broken;
}

function marksOf({ nodes, original, title }: Read['conversation']): Set<string> {
  const texts = nodes.map((node) => `${shownBy(node)}${JSON.stringify(node.content().original)}`);
  return marksIn(`${texts.join('\n')}${JSON.stringify(original)}${title ?? ''}`);
}

const textOf = (bytes: Buffer) => bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8');
