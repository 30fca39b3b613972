import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseFormat, uploadFormat } from '../../src/encode/media-types.ts';
import { outputFormats } from '../../src/encode/output-formats.ts';
import { listenerWriters } from '../../src/encode/row-writers.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { rowFormats } from '../../src/ports/renderer.ts';

const refused = (kind: string, hint: RegExp) => (error: unknown) =>
  error instanceof FrameholdError && error.kind === kind && hint.test(error.hint ?? '');

test('fmt wins over Accept', () => {
  for (const format of rowFormats) {
    assert.equal(chooseFormat(format, 'text/csv'), format);
    assert.equal(chooseFormat(undefined, outputFormats[format].mediaType), format);
  }
  for (const fmt of ['', 'JSON', 'xml', 'toString', ...Object.keys(listenerWriters)])
    assert.throws(
      () => chooseFormat(fmt, undefined),
      refused('bad_request', /json, csv, ndjson, arrow, parquet/),
    );
});

test('Accept: quality, wildcards, order', () => {
  const cases: readonly [string | undefined, string][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['text/*', 'csv'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['application/jsonl', 'ndjson'],
    ['application/json;q=0.5, text/csv;q=0.9', 'csv'],
    ['application/json;q=0.5, text/csv; q=0.5', 'json'],
    ['text/csv;q=0.5, application/json;q=0.5', 'csv'],
    ['*/*, text/csv', 'csv'],
    ['*/*;q=0.1, application/vnd.apache.arrow.stream;q=0.2', 'arrow'],
    ['application/json;q=0, */*', 'csv'],
    ['application/json;q=0, application/*', 'ndjson'],
    ['text/html, application/vnd.apache.parquet', 'parquet'],
  ];
  for (const [accept, format] of cases) assert.equal(chooseFormat(undefined, accept), format, accept);
  for (const accept of ['text/html', 'image/*', 'application/json;q=0', '*/*;q=0', 'json'])
    assert.throws(() => chooseFormat(undefined, accept), refused('not_acceptable', /text\/csv/), accept);
});

test('uploads', () => {
  const cases: readonly [string, string][] = [
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['application/vnd.apache.arrow.file', 'arrow-file'],
    ['application/vnd.apache.parquet', 'parquet'],
    ['Text/CSV; charset=utf-8; header=present', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['text/tab-separated-values', 'csv'],
    ['application/json', 'json'],
  ];
  for (const [type, format] of cases) assert.equal(uploadFormat(type).format, format);
  assert.deepEqual(uploadFormat('text/tab-separated-values; charset="UTF-16"'), {
    format: 'csv',
    originFormat: 'tsv',
    charset: 'UTF-16',
    delimiter: '\t',
  });
  for (const type of [undefined, '', 'application/xml', 'text/plain', 'constructor'])
    assert.throws(() => uploadFormat(type), refused('unsupported_media_type', /text\/csv/));
});
