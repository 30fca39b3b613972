import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderSettingsDocument } from '../server/src/config/document.ts';
import { renderMetricsDocument } from '../server/src/telemetry/document.ts';
import { renderCommandLinePage } from './command-line-page.ts';
import { renderLimitsPage } from './limits-page.ts';

/** Writes the reference pages that come from tables and constants in the code. A test fails while they differ. */
const reference = join(import.meta.dirname, '../docs/reference');
mkdirSync(reference, { recursive: true });
writeFileSync(join(reference, 'settings.md'), renderSettingsDocument());
writeFileSync(join(reference, 'metrics.md'), renderMetricsDocument());
writeFileSync(join(reference, 'command-line.md'), renderCommandLinePage());
writeFileSync(join(reference, 'limits.md'), renderLimitsPage());
// The runtime's metrics keep observers open.
process.exit();
