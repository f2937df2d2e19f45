/** The path of an installed Chromium. */
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined without Chromium; `CHROMIUM_PATH` sets another path. */
export const chromiumPath = [process.env['CHROMIUM_PATH'] ?? [], PLACES].flat().find((path) => existsSync(path));
