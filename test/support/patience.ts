/** How long tests wait for an event that does not come. No machine is so slow that it reaches this with a working program. */
export const PATIENCE_MS = 120_000;
