import { expect, test } from 'vitest';
import { jsonLines } from '../src/json-lines.js';

const encoder = new TextEncoder();

/** A response that arrives in these parts. */
function bodyOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...parts];
  return new ReadableStream({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}

async function linesOf(body: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const line of jsonLines(body)) lines.push(line);
  return lines;
}

test('reads lines split anywhere, also within a character, and without a last line break', async () => {
  const bytes = encoder.encode('{"a":"é"}\n\n[1,2]\n"end"');
  for (let at = 0; at <= bytes.length; at++) {
    expect(await linesOf(bodyOf([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual([{ a: 'é' }, [1, 2], 'end']);
  }
  expect(await linesOf(bodyOf([]))).toEqual([]);
});

test('throws for a line that is not JSON, such as a truncated one', async () => {
  await expect(linesOf(bodyOf([encoder.encode('1\n{"a":')]))).rejects.toThrow(SyntaxError);
});

test('cancels the response when the iteration is left', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode('1\n')),
    cancel: () => void (isCancelled = true),
  });
  for await (const line of jsonLines(endless)) {
    expect(line).toBe(1);
    break;
  }
  await expect.poll(() => isCancelled).toBe(true);
});
