/** Restores the manifests that prepack has changed: of one package in its folder, and of all packages at the root. */
import { join, relative } from 'node:path';
import { restoreManifest } from './manifests.mjs';
import { packages, root } from '../parts.mjs';

const packed = relative(root, process.cwd());
for (const part of packed === '' ? packages : [packed]) restoreManifest(join(root, part));
