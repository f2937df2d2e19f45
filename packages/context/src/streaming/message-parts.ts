/**
 * Assembles the chunks of the AI SDK's UI message stream (5, 6 and 7) as its readUIMessageStream does; strings are
 * text. Unknown chunks are no part of the message. A turn with several requests has a start and a finish for each.
 */
import { hasContent, waitsForClient } from '@parley/transport/answer-parts';
import type { UIMessage, UIMessagePart } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
import { missing, ToolParts, type Chunk } from './tool-parts.js';

export class MessageParts {
  readonly #parts: UIMessagePart[] = [];
  readonly #tools = new ToolParts(this.#parts);
  /** The growing parts, by kind and id. */
  readonly #open = new Map<string, UIMessagePart & { text?: string }>();
  #metadata: unknown;
  #isBroken = false;
  /** The text of the last error chunk. */
  failure: string | undefined;
  #hasEnded = false;

  /** @param metadata the chunks' metadata are merged into it */
  constructor(metadata?: unknown) {
    this.#metadata = metadata;
  }

  /** Whether a chunk reports an error or an abort. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether the last request of the turn has its finish chunk. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the turn needs an output or an approval of a page. */
  get isWaiting(): boolean {
    return this.#hasEnded && !this.#isBroken && this.#parts.some(waitsForClient);
  }

  get isEmpty(): boolean {
    return !this.#parts.some(hasContent);
  }

  /** The message so far; later chunks may change its parts. */
  message(id: string, role: string): UIMessage {
    const metadata = this.#metadata === undefined ? {} : { metadata: this.#metadata };
    return { id, ...metadata, role: role as UIMessage['role'], parts: this.#parts };
  }

  /**
   * Adds the next chunk.
   * @throws ContextError for the continuation of a part that was not started
   */
  take(chunk: unknown): void {
    if (typeof chunk === 'string') this.#addText(chunk);
    else if (isRecord(chunk) && typeof chunk['type'] === 'string') this.#take(chunk as Chunk);
  }

  #addText(text: string): void {
    const last = this.#parts.at(-1) as { type: string; text?: string; state?: string } | undefined;
    if (last?.type === 'text' && last.state === undefined) last.text += text;
    else this.#parts.push({ type: 'text', text });
  }

  #take(chunk: Chunk): void {
    const { type, id, providerMetadata } = chunk;
    if (type === 'start' || type === 'start-step' || type.startsWith('tool-')) this.#hasEnded = false;
    switch (type) {
      case 'text-start':
        return this.#begin(chunk, { type: 'text', text: '', providerMetadata, state: 'streaming' });
      case 'reasoning-start':
        return this.#begin(chunk, { type: 'reasoning', id, text: '', providerMetadata, state: 'streaming' });
      case 'text-delta':
      case 'reasoning-delta':
        this.#opened(chunk).text += String(chunk['delta']);
        return;
      case 'text-end':
      case 'reasoning-end':
        this.#opened(chunk)['state'] = 'done';
        this.#open.delete(keyOf(chunk));
        return;
      case 'file':
        return this.#add(chunk, ['mediaType', 'url']);
      case 'source-url':
        return this.#add(chunk, ['sourceId', 'url', 'title']);
      case 'source-document':
        return this.#add(chunk, ['sourceId', 'mediaType', 'title', 'filename']);
      case 'start-step':
        this.#parts.push({ type: 'step-start' });
        return;
      case 'finish-step':
        return this.#open.clear();
      case 'finish':
        this.#hasEnded = true;
        this.#isBroken ||= chunk['finishReason'] === 'error';
        return this.#describe(chunk);
      case 'start':
      case 'message-metadata':
        return this.#describe(chunk);
      case 'error':
      case 'abort':
        this.#isBroken = true;
        if (typeof chunk['errorText'] === 'string') this.failure = chunk['errorText'];
        return;
      default:
        if (type.startsWith('data-')) this.#addData(chunk);
        else this.#tools.take(chunk);
    }
  }

  #begin(chunk: Chunk, part: UIMessagePart): void {
    this.#open.set(keyOf(chunk), part);
    this.#parts.push(part);
  }

  #opened(chunk: Chunk) {
    const part = this.#open.get(keyOf(chunk));
    if (part === undefined) throw missing(chunk, `${kindOf(chunk)}-start`);
    part['providerMetadata'] = chunk['providerMetadata'] ?? part['providerMetadata'];
    return part;
  }

  #add(chunk: Chunk, names: readonly string[]): void {
    const { type, providerMetadata } = chunk;
    const members = Object.fromEntries(names.map((name) => [name, chunk[name]]));
    this.#parts.push({ type, ...members, ...(providerMetadata != null && { providerMetadata }) });
  }

  #addData(chunk: Chunk): void {
    if (chunk['transient'] === true) return;
    const { type, id } = chunk;
    const there = id == null ? undefined : this.#parts.find((part) => part.type === type && part['id'] === id);
    if (there === undefined) this.#parts.push({ ...chunk });
    else there['data'] = chunk['data'];
  }

  #describe({ messageMetadata }: Chunk): void {
    this.#metadata = mergeMetadata(this.#metadata, messageMetadata);
  }
}

function kindOf({ type }: Chunk): string {
  return type.slice(0, type.indexOf('-'));
}

function keyOf(chunk: Chunk): string {
  return `${kindOf(chunk)} ${String(chunk['id'])}`;
}

/** Merges a chunk's metadata: members of objects are merged, all else is replaced. */
function mergeMetadata(before: unknown, update: unknown): unknown {
  if (update == null) return before;
  if (before == null) return update;
  // Only objects can be merged.
  if (!isRecord(before) || !isRecord(update)) return update;
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(update)) {
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') continue;
    const there = Object.hasOwn(before, name) ? before[name] : undefined;
    merged[name] = isRecord(value) && isRecord(there) ? mergeMetadata(there, value) : value;
  }
  return merged;
}
