/** UI messages of drafts and of a page's own outputs, without a server. */
import type { UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { addChunk, chunkReader } from '../../src/ai/assemble-message.js';
import { ToolOutputs } from '../../src/ai/tool-outputs.js';
import type { Chunk } from '../../src/ai/ui-message.js';

test('the texts of a draft become one text part, and other chunks stay as they are', () => {
  const chunks: Chunk[] = [];
  for (const chunk of ['Hel', 'lo', { type: 'finish' }].flatMap(chunkReader('d'))) addChunk(chunks, chunk);
  expect(chunks).toEqual([
    { type: 'start', messageId: 'd' },
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: 'Hello' },
    { type: 'finish' },
  ]);
});

test('a message shows the outputs and approvals of its page until the server has them', () => {
  const outputs = new ToolOutputs();
  const message = {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'tool-place', toolCallId: 'one', state: 'input-available', input: {} },
      { type: 'tool-pay', toolCallId: 'two', state: 'approval-requested', input: {}, approval: { id: 'x' } },
    ],
  } as UIMessage;
  expect(outputs.patch(message)).toBe(message);
  outputs.addOutput('one', { state: 'output-available', output: 'Faro' });
  outputs.addApproval('x', { approved: true });
  const patched = outputs.patch(message);
  expect(patched.parts).toMatchObject([
    { toolCallId: 'one', state: 'output-available', output: 'Faro' },
    { toolCallId: 'two', state: 'approval-responded', approval: { id: 'x', approved: true } },
  ]);
  expect(outputs.patch(message)).toBe(patched);
  const stored = { ...message, parts: patched.parts };
  expect(outputs.patch(stored)).toBe(stored);
});
