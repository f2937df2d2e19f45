/**
 * Drops times in the future: a chat dated 9999 would stay first in every list. MAX_CLOCK_SKEW_MS allows for other
 * systems' clocks.
 */
import type { FoundSource } from '../source-conversation.js';

export const MAX_CLOCK_SKEW_MS = 24 * 60 * 60 * 1000;

export function isInFuture(time: number | null): boolean {
  return time !== null && time > Date.now() + MAX_CLOCK_SKEW_MS;
}

export function futureTimesWarning(count: number): string {
  const times = count === 1 ? '1 time was' : `${count} times were`;
  return `${times} left out: more than 24 hours after the time of the import`;
}

/** The conversation without its future times, which count as missing. A warning counts them. */
export function withoutFutureTimes(conversation: FoundSource): FoundSource {
  let count = 0;
  const past = (time: number | null): number | null => {
    if (!isInFuture(time)) return time;
    count++;
    return null;
  };
  const createdAt = past(conversation.createdAt);
  const updatedAt = past(conversation.updatedAt);
  const nodes = conversation.nodes.map((node) => {
    const time = past(node.createdAt);
    return time === node.createdAt ? node : { ...node, createdAt: time };
  });
  if (count === 0) return conversation;
  return {
    ...conversation,
    createdAt,
    updatedAt,
    nodes,
    warnings: [...conversation.warnings, futureTimesWarning(count)],
  };
}
