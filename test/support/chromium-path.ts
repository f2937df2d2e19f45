/** Where the browser of this machine is, if it has one. */
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined where there is none; `CHROMIUM_PATH` names one that is elsewhere. */
export const chromiumPath = [process.env['CHROMIUM_PATH'] ?? [], PLACES].flat().find((path) => existsSync(path));
