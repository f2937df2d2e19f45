/** The setting of the demo. */
import { flag } from '../../settings/declare-setting.js';

export const demoSettings = {
  /** Whether a newly created database gets the demo conversation. @default false */
  demo: flag('DEMO', true, ['on', 'off'], false).means(
    'Whether a new database contains the demo conversation. `off` in the container',
  ),
};
