/**
 * `node --import ./scripts/typescript.mjs file.ts` runs TypeScript of src, packages and test directly, without type
 * checks.
 */
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./typescript-hooks.mjs', import.meta.url);
