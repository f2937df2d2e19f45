import { it } from 'vitest';
import { expectNestedSpans } from './nested-spans.js';

it('statements are traced with their operation through a connection pool, too', () => expectNestedSpans('postgresql'));
