/** Every format that can be read. */
import { chatGpt } from './chatgpt/chatgpt.js';
import { deepSeek } from './deepseek/deepseek.js';
import { oasstTrees } from './oasst/oasst-trees.js';
import type { Reader } from './reader.js';

export const READERS: readonly Reader[] = [chatGpt, deepSeek, oasstTrees];

export function readerNamed(name: string): Reader | undefined {
  return READERS.find((reader) => reader.name === name);
}
