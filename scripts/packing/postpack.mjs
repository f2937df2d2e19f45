/** Restores the manifests that prepack has changed: of one package in its folder, and of all packages at the root. */
import { join, relative } from 'node:path';
import { changedManifests, restoreManifest } from './manifests.mjs';
import { root } from '../parts.mjs';

const packed = relative(root, process.cwd());
for (const folder of changedManifests(packed)) restoreManifest(join(root, folder));
