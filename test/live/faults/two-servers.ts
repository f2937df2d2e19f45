/** The bounded form of what `npm run soak` does for long. */
import { expect } from 'vitest';
import { openScene, settle, suffer, type BusKind } from './scene.js';

/** Changes while something is broken, and again before the next thing breaks. */
const CHANGES = 12;

/** Breaks one thing after the other, and expects everybody to have been told everything, once and in order. */
export async function expectNothingMissed(bus: BusKind): Promise<void> {
  const scene = await openScene(bus);
  const { crowd, writers, faults } = scene;
  for (const fault of faults) await suffer(fault, writers, CHANGES);
  const { deliveries, differences } = await settle(scene, 0);
  expect(differences).toEqual([]);
  expect(writers.answered).toBeGreaterThan(2 * CHANGES * faults.length);
  expect(crowd.reconnects).toBeGreaterThan(crowd.followers.length);
  expect(deliveries).toBeGreaterThan(writers.answered);
}
