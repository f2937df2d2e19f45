import { it } from 'vitest';
import { expectNestedSpans } from './nested-spans.js';

it('statements are traced with their operation through a pool of connections, too', () =>
  expectNestedSpans('postgresql'));
