/** `node --import ./scripts/typescript.mjs file.ts` runs TypeScript as it stands in src, packages and bench, unchecked. */
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./typescript-hooks.mjs', import.meta.url);
