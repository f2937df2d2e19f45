/** Answers of Open WebUI before `output` existed: reasoning, calls and code are in the text, each in a <details>. */
import type { MessagePart } from '../../source-conversation.js';
import { unescapedHtml } from '../shared/html-text.js';
import { textOf } from '../shared/members.js';
import { callPart, reasoningParts, textParts, toolInput, toolPart } from '../shared/parts.js';

/** A code fence, which quotes markup, or the start of a <details> block. */
const BEGINNING = /^[ \t]*```|<details\b([^<>]*)>/gm;
const END = '</details>';
const TYPES = ['reasoning', 'tool_calls', 'code_interpreter'];

type Attributes = ReadonlyMap<string, string>;

/** The text without the blocks, and the blocks as parts in their place. Other <details> stay in the text. */
export function detailedParts(content: string): MessagePart[] {
  const parts: MessagePart[] = [];
  let from = 0;
  let isFenced = false;
  BEGINNING.lastIndex = 0;
  for (let found = BEGINNING.exec(content); found !== null; found = BEGINNING.exec(content)) {
    if (found[1] === undefined) isFenced = !isFenced;
    if (found[1] === undefined || isFenced) continue;
    const attributes = attributesOf(found[1]);
    if (!TYPES.includes(attributes.get('type') ?? '')) continue;
    const start = BEGINNING.lastIndex;
    const end = content.indexOf(END, start);
    if (end === -1) break;
    const block = blockParts(attributes, content.slice(start, end), `call-${parts.length + 1}`);
    parts.push(...textParts(content.slice(from, found.index).trim()), ...block);
    from = BEGINNING.lastIndex = end + END.length;
  }
  return parts.length === 0 ? textParts(content) : [...parts, ...textParts(content.slice(from).trim())];
}

/** @param callId the id of a call without one, unique within the message */
function blockParts(attributes: Attributes, inner: string, callId: string): MessagePart[] {
  const body = withoutSummary(inner);
  const type = attributes.get('type');
  if (type === 'reasoning') return reasoningParts(quotedText(body));
  const isCode = type === 'code_interpreter';
  const call = {
    id: textOf(attributes.get('id')) ?? callId,
    name: isCode ? 'code_interpreter' : (textOf(attributes.get('name')) ?? 'tool'),
    input: isCode ? { code: unfenced(body) } : argumentsIn(attributes),
  };
  const result = isCode ? attributes.get('output') : (attributes.get('result') ?? textOf(unescapedHtml(body)));
  return [typeof result === 'string' ? toolPart(call, { output: valueOf(result) }) : callPart(call)];
}

function unfenced(body: string): string {
  return body.replace(/^```[^\n]*\n/, '').replace(/\n?```$/, '');
}

function attributesOf(text: string): Attributes {
  return new Map(
    [...text.matchAll(/(?<![\w-])([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescapedHtml(value),
    ]),
  );
}

function withoutSummary(inner: string): string {
  const start = inner.indexOf('<summary>');
  const end = start === -1 ? -1 : inner.indexOf('</summary>', start);
  return (end === -1 ? inner : inner.slice(0, start) + inner.slice(end + '</summary>'.length)).trim();
}

/** Reasoning is quoted, and escaped since 2025; the escaped quote mark shows which. */
function quotedText(body: string): string {
  const text = /^&gt;/m.test(body) ? unescapedHtml(body) : body;
  return text.replace(/^> ?/gm, '').trim();
}

/** JSON, or a JSON text that contains JSON. */
function argumentsIn(attributes: Attributes): unknown {
  return toolInput(valueOf(attributes.get('arguments') ?? ''));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
