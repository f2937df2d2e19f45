/** Zips of ChatGPT with files. */
import { conversation, message, nodeOf } from '../readers/chatgpt-export.js';

export const PNG = Buffer.from('\x89PNG\r\n\x1a\n with a picture', 'latin1');

export const image = (pointer: string) => ({ content_type: 'image_asset_pointer', asset_pointer: pointer });

/** A conversation of one message with these parts. */
export function saying(parts: unknown[], members: Record<string, unknown> = {}) {
  const given = conversation(['a']);
  nodeOf(given, 'a').message = message('a', { content: { content_type: 'multimodal_text', parts }, ...members });
  return given;
}
