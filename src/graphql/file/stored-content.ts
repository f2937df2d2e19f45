import type { MessageContent } from '../../conversation/saving/content.js';
import type { Context } from '../context.js';

/** An input whose content has its long data URLs stored as files of the viewer. */
export async function withStoredFiles<Input extends { content?: MessageContent | null | undefined }>(
  { files, viewer, signal }: Pick<Context, 'files' | 'viewer' | 'signal'>,
  input: Input,
): Promise<Input> {
  const data = input.content?.data;
  if (data == null) return input;
  return { ...input, content: { ...input.content, data: await files.moveDataUrls(viewer.userId, data, signal) } };
}
