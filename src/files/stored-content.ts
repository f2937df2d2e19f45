import type { Viewer } from '../conversation/model.js';
import type { MessageContent } from '../conversation/saving/content.js';
import { TurnBudget } from '../scheduler/turn-budget.js';
import type { Files } from '../files/files.js';

export interface StoringViewer {
  files: Pick<Files, 'moveDataUrls'>;
  viewer: Viewer;
  signal?: AbortSignal | undefined;
}

/** An input whose content has its long data URLs stored as files of the viewer. */
export async function withStoredFiles<Input extends { content?: MessageContent | null | undefined }>(
  { files, viewer, signal }: StoringViewer,
  input: Input,
): Promise<Input> {
  const data = input.content?.data;
  if (data == null) return input;
  const { yieldIfDue } = new TurnBudget();
  const content = { ...input.content, data: await files.moveDataUrls(viewer.userId, data, signal) };
  await yieldIfDue();
  return { ...input, content };
}
