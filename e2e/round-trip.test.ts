/**
 * DoPut → DoGet by pyarrow gives back an equal schema and equal values, in every form that a frame can have.
 * The table of docs/reference/types.md comes from here: `UPDATE_DOCS=1 npm run test:e2e round-trip` writes it.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CatalogPart, catalogParts } from '../server/test/support/catalog-file.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { runPython } from '../server/test/support/python.ts';
import { repositoryRoot } from '../server/test/support/repository.ts';
import { removeFolder } from '../server/test/support/temporary-folder.ts';

const script = join(import.meta.dirname, 'python', 'round_trip.py');
const document = join(repositoryRoot, 'docs', 'reference', 'types.md');

interface Report {
  /** What is wrong with a case; null if nothing is. */
  readonly faults: Readonly<Record<string, string | null>>;
  readonly groups: Readonly<Record<string, string>>;
}

async function run(framehold: Framehold, put: boolean): Promise<Report> {
  return (await runPython([script], { url: framehold.grpcUrl, put })) as Report;
}

/** Every part has been transcoded or refused. */
async function transcoded(framehold: Framehold): Promise<readonly CatalogPart[]> {
  return await framehold.until('settled frames', () => {
    const parts = catalogParts(framehold.dataDirectory);
    return parts.every(({ parquet, refusal }) => parquet !== 'none' || refusal !== null) ? parts : null;
  });
}

const reports: Record<string, Report> = {};
let parts: readonly CatalogPart[] = [];

before(async () => {
  const framehold = await Framehold.start({ env: { FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' } });
  try {
    reports['at once'] = await run(framehold, true);
    await transcoded(framehold);
    reports['after transcoding'] = await run(framehold, false);
    await framehold.stop();
    // No room for Arrow forms beside Parquet: all that may go, goes.
    const evicting = await Framehold.start({
      home: framehold.home,
      env: { SERVICE_CACHE_SIZE: '0', FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' },
    });
    parts = await evicting.until('evicted Arrow forms', () => {
      const now = catalogParts(evicting.dataDirectory);
      return now.some(({ parquet, hasArrow }) => parquet === 'exact' && hasArrow) ? null : now;
    });
    reports['after eviction'] = await run(evicting, false);
    await evicting.stop();
    await evicting.start();
    reports['after a restart'] = await run(evicting, false);
    await evicting.stop();
  } finally {
    await framehold.stop();
    home = framehold.home;
  }
});
let home = '';
after(() => removeFolder(home));

function reportOf(moment: string): Report {
  const report = reports[moment];
  assert.ok(report, `${moment}: not reached`);
  return report;
}

const moments = ['at once', 'after transcoding', 'after eviction', 'after a restart'];
for (const moment of moments) {
  test(`equal schema and values ${moment}`, async (t) => {
    const { faults } = reportOf(moment);
    assert.ok(Object.keys(faults).length >= 30, 'at least 30 cases');
    for (const [title, fault] of Object.entries(faults)) {
      await t.test(title, () => assert.equal(fault, null, fault ?? ''));
    }
  });
}

describe('what transcoding did', () => {
  test('Arrow forms were really evicted, and others really kept', () => {
    assert.ok(parts.filter(({ hasArrow }) => !hasArrow).length >= 20);
    assert.ok(parts.some(({ hasArrow }) => hasArrow));
  });

  test('a frame without an exact Parquet form keeps its Arrow form', () => {
    assert.deepEqual(
      parts.filter(({ parquet, hasArrow }) => parquet !== 'exact' && !hasArrow),
      [],
    );
  });

  test('dictionaries, with their order and unused categories, stay in the Arrow form', () => {
    const kept = tableRows().filter(({ title }) => /dictionary|category/.test(title));
    assert.ok(kept.length >= 5);
    for (const row of kept) assert.notEqual(row.form, 'Parquet', row.title);
  });

  test('docs/reference/types.md has this table', () => {
    const written = readFileSync(document, 'utf8');
    const wanted = withTable(written, renderTable());
    if (process.env.UPDATE_DOCS === '1') writeFileSync(document, wanted);
    else assert.equal(written, wanted, 'run UPDATE_DOCS=1 npm run test:e2e round-trip');
  });
});

interface TableRow {
  readonly title: string;
  readonly group: string;
  readonly form: 'Parquet' | 'Arrow, with Parquet beside it' | 'Arrow';
  readonly reason: string;
}

function tableRows(): TableRow[] {
  const { groups } = reportOf('at once');
  const byName = new Map(parts.map((part) => [part.name, part]));
  return Object.entries(groups).map(([title, group], index) => {
    const part = byName.get(`case_${String(index).padStart(3, '0')}`);
    const form =
      part?.parquet === 'exact'
        ? 'Parquet'
        : part?.parquet === 'beside'
          ? 'Arrow, with Parquet beside it'
          : 'Arrow';
    return { title, group, form, reason: part?.refusal ?? '' };
  });
}

/** The Parquet library's own words can be long; what matters comes first. */
const reasonLengthMax = 140;
const begin = '<!-- begin: made by e2e/round-trip.test.ts -->';
const end = '<!-- end -->';

function renderTable(): string {
  const cell = (text: string) =>
    (text.length > reasonLengthMax ? `${text.slice(0, reasonLengthMax)}…` : text)
      .replaceAll('|', '\\|')
      .replaceAll('\n', ' ');
  const rows = tableRows().map(({ title, form, reason }) => `| ${cell(title)} | ${form} | ${cell(reason)} |`);
  return `${begin}\n| frame of the test | form it ends in | why not Parquet |\n|---|---|---|\n${rows.join('\n')}\n${end}`;
}

function withTable(text: string, table: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  assert.ok(from !== -1 && to !== -1, `${document} has no ${begin} … ${end}`);
  return text.slice(0, from) + table + text.slice(to + end.length);
}
