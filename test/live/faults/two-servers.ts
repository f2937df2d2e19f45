/** A short form of `npm run soak -- faults`. */
import { expect } from 'vitest';
import { openScene, settle, injectFault, type BusKind } from './scene.js';

/**
 * Injects one fault after the other, and expects every follower to receive everything once and in order.
 * @param changes during a fault, and again before the next fault
 */
export async function expectNothingMissed(bus: BusKind, followers?: number, changes = 12): Promise<void> {
  const scene = await openScene(bus, followers);
  const { crowd, writers, faults } = scene;
  for (const fault of faults) await injectFault(fault, writers, changes);
  const { deliveries, differences } = await settle(scene, 0);
  expect(differences).toEqual([]);
  expect(writers.answered).toBeGreaterThan(2 * changes * faults.length);
  expect(crowd.reconnects).toBeGreaterThan(crowd.followers.length);
  expect(deliveries).toBeGreaterThan(writers.answered);
}
