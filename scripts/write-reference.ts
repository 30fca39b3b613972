import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderSettingsDocument } from '../server/src/config/document.ts';
import { renderMetricsDocument } from '../server/src/telemetry/document.ts';
import { renderCommandLinePage } from './command-line-page.ts';
import { renderFiguresPage } from './figures-page.ts';
import { renderLimitsPage } from './limits-page.ts';

/** Writes the pages that come from tables, constants and results. A test fails while they differ. */
const reference = join(import.meta.dirname, '../docs/reference');
mkdirSync(reference, { recursive: true });
writeFileSync(join(reference, 'settings.md'), renderSettingsDocument());
writeFileSync(join(reference, 'metrics.md'), renderMetricsDocument());
writeFileSync(join(reference, 'command-line.md'), renderCommandLinePage());
writeFileSync(join(reference, 'limits.md'), renderLimitsPage());
writeFileSync(join(reference, '../figures.md'), renderFiguresPage());
// The runtime's metrics keep observers open.
process.exit();
