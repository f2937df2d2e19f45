/** The settings of metrics. */
import { numberWithin, setting } from '../../settings/declare-setting.js';

export const telemetrySettings = {
  /** Port of /metrics, for all that can reach it; without it on the main port, for admins. */
  metricsPort: setting('METRICS_PORT', numberWithin(1, 65535)).means('A separate port for `/metrics`'),
};
