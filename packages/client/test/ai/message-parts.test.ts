/** The parts of stored messages as assistant-ui shows them. */
import { expect, test, vi } from 'vitest';
import { withParts } from '../../src/assistant-ui/message-parts.js';
import type { Message } from '../../src/message.js';

// An optional dependency that only test/conformance installs.
vi.mock('@assistant-ui/react', () => ({ MessageNotSentError: Error }));

test('values that are not parts are skipped', () => {
  const parts = [null, undefined, 1, 'a', [], {}, { type: 1 }, { type: 'text', text: 'It is warm.' }];
  for (const name of ['assistant', 'user']) {
    const message = { name, text: 'It is warm.', data: { parts } } as unknown as Message;
    expect(withParts(message)).toMatchObject({ content: [{ type: 'text', text: 'It is warm.' }] });
  }
});
