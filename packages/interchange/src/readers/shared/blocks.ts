/** Lists of content blocks. The model APIs and their clients use similar forms. */
import { isJsonObject, type JsonObject } from '../../file-values.js';
import type { MessagePart } from '../../source-conversation.js';
import { isMedia, mediaPart } from './media.js';
import { arrayOf, objectOf, textOf, without } from './members.js';
import {
  callPart,
  dataPart,
  reasoningParts,
  sourceParts,
  textParts,
  toolInput,
  toolPart,
  type ToolCall,
} from './parts.js';

/** The calls of earlier messages by their ids. */
export type CallsAbove = (id: string) => ToolCall | undefined;

const TEXTS = new Set(['text', 'input_text', 'output_text', 'refusal', 'markdown', 'voice_note', 'error']);
const THOUGHTS = new Set(['thinking', 'reasoning', 'think', 'thought']);
const CALLS = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use', 'tool-call', 'toolCall', 'function']);
const RESULTS = new Set(['tool_result', 'tool-result', 'toolResult', 'tool_search_output']);
/** Each hosted tool has a separate block type. */
const isCall = (type: string) => CALLS.has(type) || (type.endsWith('_call') && !isMedia(type));
const isResult = (type: string) => RESULTS.has(type) || /_(tool_result|call_output)$/.test(type);

/**
 * A text is one block. A call and its result become one part; a result without its call uses the call of an earlier
 * message.
 */
export function blockParts(content: unknown, above: CallsAbove = () => undefined): MessagePart[] {
  if (!Array.isArray(content)) return isJsonObject(content) ? blockParts([content], above) : textParts(content);
  const blocks = content.map((value: unknown) => (isJsonObject(value) ? typed(value) : value));
  const { resultOfCall, answers } = paired(blocks.filter(isJsonObject));
  const cited = new Set<unknown>();
  const parts = blocks.flatMap((block: unknown): MessagePart[] => {
    if (!isJsonObject(block))
      return block === null ? [] : typeof block === 'string' ? textParts(block) : [dataPart('unknown', block)];
    const type = typeOf(block);
    const unchanged = uiParts(type, block);
    if (unchanged !== null) return unchanged;
    if (isCall(type)) {
      const call = callOf(block);
      const result = resultOfCall.get(block);
      const own = ownResult(block);
      if (own !== null) return [toolPart(call, own)];
      return result === undefined ? [callPart(call)] : [toolPart(call, resultOf(result)), ...foundPages(result)];
    }
    if (isResult(type)) {
      if (answers.has(block)) return [];
      const id = callId(block);
      const name = textOf(block['name']) ?? textOf(block['toolName']) ?? 'tool';
      return [toolPart(above(id) ?? { id, name, input: {} }, resultOf(block)), ...foundPages(block)];
    }
    return plainParts(type, block);
  });
  // Many blocks cite the same page.
  return parts.filter(({ type, url }) => type !== 'source-url' || (!cited.has(url) && cited.add(url)));
}

/** Pairs results with calls: by id, or by order where they have none. */
function paired(blocks: readonly JsonObject[]) {
  const resultOfCall = new Map<JsonObject, JsonObject>();
  const answers = new Set<JsonObject>();
  const open = new Map<string, JsonObject[]>();
  for (const call of blocks.toReversed()) {
    if (!isCall(typeOf(call))) continue;
    const { id } = callOf(call);
    const others = open.get(id);
    if (others === undefined) open.set(id, [call]);
    else others.push(call);
  }
  for (const result of blocks) {
    const call = isResult(typeOf(result)) ? open.get(callId(result))?.pop() : undefined;
    if (call === undefined) continue;
    resultOfCall.set(call, result);
    answers.add(result);
  }
  return { resultOfCall, answers };
}

/** Pages that a search found or a tool read. */
function foundPages({ content }: JsonObject): MessagePart[] {
  return arrayOf(content).flatMap((page) => sourceParts(objectOf(page)['url'], objectOf(page)['title']));
}

/** The calls in a list of blocks, which later results refer to. */
export function callsIn(content: unknown): ToolCall[] {
  return arrayOf(content)
    .filter(isJsonObject)
    .map(typed)
    .filter((block) => isCall(typeOf(block)))
    .map(callOf);
}

/** Gives Gemini's blocks a type: the name of their member. Calls can lack ids. */
function typed(block: JsonObject): JsonObject {
  if (typeof block['type'] === 'string') return block;
  const { functionCall, functionResponse, inlineData, fileData } = block;
  if (isJsonObject(functionCall)) return { id: functionCall['name'], ...functionCall, type: 'function_call' };
  if (isJsonObject(functionResponse)) {
    const { id, name, response } = functionResponse;
    const { output, error } = objectOf(response);
    return {
      type: 'function_call_output',
      id: id ?? name,
      name,
      output: output ?? error ?? response,
      isError: error !== undefined,
    };
  }
  if (isJsonObject(inlineData)) return { ...inlineData, type: 'file' };
  if (isJsonObject(fileData)) return { ...fileData, url: fileData['fileUri'], type: 'file' };
  return block;
}

function plainParts(type: string, block: JsonObject): MessagePart[] {
  if (TEXTS.has(type)) {
    const { text, refusal, markdown, error, citations } = block;
    const words = wordsIn(text) ?? wordsIn(refusal) ?? wordsIn(markdown) ?? wordsIn(error);
    const sources = arrayOf(citations).flatMap((each) => {
      const page = { ...objectOf(objectOf(each)['details']), ...objectOf(each) };
      return sourceParts(page['url'], page['title']);
    });
    if (words === null && type === 'error') return [dataPart(type, block)];
    return [...textParts(words), ...sources];
  }
  if (THOUGHTS.has(type)) {
    const { thinking, text, reasoning, think, thought, summary, summaries, content } = block;
    const words = [thinking, text, reasoning, think, thought].map(wordsIn).find((each) => each !== null);
    const list = [...arrayOf(summary), ...arrayOf(summaries), ...arrayOf(content)].map((each) =>
      typeof each === 'string' ? each : (objectOf(each)['text'] ?? objectOf(each)['summary']),
    );
    const parts = reasoningParts(...(words === undefined ? list : [words]));
    return parts.length > 0 ? parts : [dataPart(type, block)];
  }
  if (isMedia(type)) return [mediaPart(type, block)];
  if (type === 'source' || type === 'source-url') {
    const sources = sourceParts(block['url'], block['title']);
    if (sources.length > 0) return sources;
  }
  // Gemini's blocks have no type.
  if (type === '' && textOf(block['text']) !== null) {
    return block['thought'] === true ? reasoningParts(block['text']) : textParts(block['text']);
  }
  return [dataPart(type, block)];
}

/** A text, or an object with the text as its `value`. */
function wordsIn(text: unknown): string | null {
  return textOf(isJsonObject(text) ? (text['value'] ?? text['message']) : text);
}

function typeOf(block: JsonObject): string {
  return typeof block['type'] === 'string' ? block['type'] : '';
}

function callId(block: JsonObject): string {
  const { call_id, toolCallId, tool_use_id, tool_call_id, id } = block;
  return textOf(call_id) ?? textOf(toolCallId) ?? textOf(tool_use_id) ?? textOf(tool_call_id) ?? textOf(id) ?? 'call';
}

function callOf(block: JsonObject): ToolCall {
  const { name, toolName, input, args, arguments: words, action, ...others } = calledIn(block);
  const id = callId(others) === 'call' ? callId(block) : callId(others);
  const own = textOf(name) ?? textOf(toolName);
  const given = input ?? args ?? words ?? action;
  if (own !== null || given !== undefined) return { id, name: own ?? kindOf(block), input: toolInput(given) };
  return { id, name: kindOf(block), input: without(others, 'type', 'id', 'call_id', 'status', 'output', 'result') };
}

/** The tool's name from the block's type: `web_search_call`. */
function kindOf(block: JsonObject): string {
  return /^(?!(?:tool|function|custom_tool)_call$)(.+)_call$/.exec(typeOf(block))?.[1] ?? 'tool';
}

/** A call in any form. The call can be in `tool_call`, or in a member named after the type. */
function calledIn(block: JsonObject): JsonObject {
  const outer = isJsonObject(block['tool_call']) ? block['tool_call'] : block;
  const type = typeOf(outer);
  const member = ['function', 'custom', type].find((name) => isJsonObject(outer[name]));
  if (member === undefined) return outer;
  return { ...outer, ...(member === type && type !== 'function' ? { name: type } : {}), ...objectOf(outer[member]) };
}

/** The result that some formats store in the call. */
function ownResult(block: JsonObject): { output: unknown } | { error: string } | null {
  const inner = calledIn(block);
  const output = inner['output'] ?? inner['result'] ?? inner['outputs'];
  if (output === undefined || output === null || output === '') return null;
  return block['isError'] === true ? { error: errorText(output) } : { output };
}

export function resultOf(block: JsonObject): { output: unknown } | { error: string } {
  const { content, output, result, tools, is_error, isError } = block;
  const value = content ?? output ?? result ?? tools ?? null;
  if (is_error === true || isError === true) return { error: errorText(value) };
  const texts = arrayOf(value).map((each) => objectOf(each)['text']);
  const isTexts = texts.length > 0 && texts.every((text) => typeof text === 'string');
  return { output: isTexts ? texts.join('\n\n') : value };
}

function errorText(value: unknown): string {
  if (typeof value === 'string') return value;
  const texts = textParts(...arrayOf(value).map((each) => objectOf(each)['text']));
  return texts.length > 0 ? texts.map((part) => part['text']).join('\n\n') : JSON.stringify(value ?? null);
}

/**
 * Parts of UI messages of AI SDK 4 to 6, as programs store them.
 * @returns null for other types, and for types whose form is the same elsewhere
 */
function uiParts(type: string, part: JsonObject): MessagePart[] | null {
  if (type === 'step-start') return [{ type }];
  if (type === 'source-document') return documentSource(part);
  if (type.startsWith('data-') && 'data' in part) {
    const id = textOf(part['id']);
    return [{ type, ...(id === null ? {} : { id }), data: part['data'] }];
  }
  // Only assistant-ui has this type.
  if (type === 'data' && textOf(part['name']) !== null) return [dataPart(String(part['name']), part['data'])];
  if (type === 'source' && 'source' in part) {
    const { url, title } = objectOf(part['source']);
    const parts = sourceParts(url, title);
    return parts.length > 0 ? parts : null;
  }
  if (type === 'tool-invocation') return [called({ ...part, ...objectOf(part['toolInvocation']) }, part['toolName'])];
  if (typeof part['state'] !== 'string') return null;
  if (type === 'dynamic-tool') return [called(part, part['toolName'])];
  return type.startsWith('tool-') ? [called(part, type.slice('tool-'.length))] : null;
}

function called(part: JsonObject, toolName: unknown): MessagePart {
  const { toolCallId, state, input, rawInput, args, output, result, errorText } = part;
  const name = textOf(part['toolName']) ?? textOf(toolName) ?? 'tool';
  const call = { id: textOf(toolCallId) ?? 'call', name, input: input ?? rawInput ?? args };
  if (state === 'output-available' || state === 'result') return toolPart(call, { output: output ?? result });
  if (state === 'output-error') return toolPart(call, { error: textOf(errorText) ?? 'it failed' });
  if (state === 'output-denied') return toolPart(call, { error: 'it was denied' });
  return callPart(call);
}

function documentSource(part: JsonObject): MessagePart[] | null {
  const [sourceId, mediaType, title] = [part['sourceId'], part['mediaType'], part['title']].map(textOf);
  if (sourceId == null || mediaType == null || title == null) return null;
  const filename = textOf(part['filename']);
  return [{ type: 'source-document', sourceId, mediaType, title, ...(filename === null ? {} : { filename }) }];
}
