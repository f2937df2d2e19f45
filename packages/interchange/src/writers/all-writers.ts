/** Every format that can be written. */
import { chatGpt } from './chatgpt.js';
import { completions } from './completions.js';
import { html } from './html.js';
import { libreChat } from './librechat.js';
import { markdown } from './markdown.js';
import { oasst } from './oasst.js';
import { openWebUi } from './open-webui.js';
import { parley } from './parley.js';
import type { Writer } from './writer.js';

export const WRITERS: readonly Writer[] = [parley, chatGpt, oasst, openWebUi, libreChat, completions, markdown, html];

export function writerNamed(name: string): Writer | undefined {
  return WRITERS.find((writer) => writer.name === name);
}
