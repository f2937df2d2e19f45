/** `Branch.context`: the input of a model call, as the library for agents resolves it. */
import type { Feature } from '../../feature.js';
import './graphql.js';

export const contexts: Feature = {};
