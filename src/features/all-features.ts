/** All features: a line each. Only the server and the command line import them. */
import type { Feature, OpenFeature } from '../feature.js';
import type { Connection } from '../database/opening/connection.js';
import { mcp } from './mcp/feature.js';
import { webhooks } from './webhooks/feature.js';

const features = [mcp, webhooks];

type OptionsOf<Each> = Each extends Feature<infer Options> ? Options : never;
type Joined<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The options of all features. */
export type FeatureOptions = Joined<OptionsOf<(typeof features)[number]>>;

const all: readonly Feature[] = features;

/** The paths of their routes. */
export const featurePaths = all.flatMap(({ paths = [] }) => paths);

/**
 * Checks and completes the options of all features.
 * @throws Error that names the wrong option
 */
export function checkFeatures(options: FeatureOptions): FeatureOptions {
  return Object.assign({}, ...all.map((each) => each.check?.(options))) as FeatureOptions;
}

/** The parts of all features in a database. */
export function openFeatures(options: FeatureOptions): (connection: Connection) => OpenFeature[] {
  return (connection) => all.map((each) => each.open?.(connection, options) ?? {});
}

/** The options that the process of an import needs, as JSON. */
export function featuresForImports(options: FeatureOptions): FeatureOptions {
  return Object.assign({}, ...all.map((each) => each.forImports?.(options))) as FeatureOptions;
}
