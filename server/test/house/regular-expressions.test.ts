/** No regular expression takes long, whatever a caller sends: most run on the one thread that serves everybody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertTook } from '../support/machine-pace.ts';
import { regularExpressions } from './regular-expressions.ts';
import { reviewed, type WorstInput } from './reviewed-expressions.ts';
import { serverSources } from './source-files.ts';

const inputBytes = 1024 * 1024;
const msMax = 20;
/** A match for each of a million characters takes 15 ms, whatever the expression. */
const globalMsMax = 60;
/** The first runs of an expression are interpreted and not compiled: the quickest of some counts. */
const runsMax = 8;

/**
 * Rooms that read what the person who starts the server writes (settings, flags, files, addresses), or texts of the server itself.
 * What a caller sends never reaches their expressions.
 */
const withoutCallers = /^(base|command-line|commands|compose|config|postgres)\//;

const found = new Set(
  serverSources()
    .map(({ path, text }) => ({ path: path.replace('server/src/', ''), text }))
    .filter(({ path }) => !withoutCallers.test(path))
    .flatMap(({ path, text }) => regularExpressions(text).map((expression) => `${path} ${expression.text}`)),
);

test('the scanner sees every form', () => {
  const text = [
    '#!/usr/bin/env node',
    'const a = /x/g; // not /this/',
    "const b = text.replace(/[/'\"`]\\//u, '/no/');",
    'const c = width / 2 / height;',
    'const d = `$_{total / 2} /no/ $_{list.filter((e) => /in template/.test(e)).map((e) => `$_{e}`)} /no/`;',
    'return /y/;',
    "/* /no/ */ new RegExp('z', 'g'); RegExp (z);",
    'const e = x.RegExp(y);',
  ]
    .join('\n')
    .replaceAll('$_', '$');
  assert.deepEqual(
    regularExpressions(text).map((expression) => `${expression.line} ${expression.text}`),
    ['2 /x/g', '3 /[/\'"`]\\//u', '5 /in template/', '6 /y/', '7 new RegExp(…)', '7 new RegExp(…)'],
  );
});

test('every regular expression that meets callers’ input was looked at, and the list has no others', () => {
  assert.ok(found.size > 100, 'the sources are read');
  const listed = Object.entries(reviewed).flatMap(([path, expressions]) =>
    Object.keys(expressions).map((expression) => `${path} ${expression}`),
  );
  assert.deepEqual(
    [...found].filter((expression) => !listed.includes(expression)),
    [],
    'add these to reviewed-expressions.ts',
  );
  assert.deepEqual(
    listed.filter((expression) => !found.has(expression)),
    [],
    'these are gone: remove them from reviewed-expressions.ts',
  );
});

for (const [path, expressions] of Object.entries(reviewed)) {
  for (const [text, review] of Object.entries(expressions)) {
    if ('short' in review) continue;
    test(`${path}: ${text} takes little time for 1 MB of its worst input`, () => {
      for (const input of [...review.worst, ...usual(text)]) {
        // A small one first: a slow expression would take hours for the whole.
        for (const bytes of [inputBytes / 64, inputBytes]) {
          const expression = parsed(text);
          const limitMs = expression.global ? globalMsMax : msMax;
          const ms = quickest(expression, filled(input, bytes), limitMs);
          assertTook(ms, limitMs, `${bytes} bytes of ${JSON.stringify(input)}`);
        }
      }
    });
  }
}

/** Each character that the expression is written with, again and again: finds what nobody has thought of. */
function usual(text: string): WorstInput[] {
  const letters = new Set([...text.slice(1).replace(/\\[a-zA-Z]/g, ''), ' ', '\n', '0', 'a']);
  return [...letters].map((letter) => ['', letter, '\n\u0000']);
}

function filled([start, repeated, end]: WorstInput, bytes: number): string {
  return `${start}${repeated.repeat(Math.ceil(bytes / repeated.length))}${end}`;
}

function parsed(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

function quickest(expression: RegExp, text: string, limitMs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runsMax && best >= limitMs; run++) {
    // Of this thread alone: others share the processor.
    const began = process.threadCpuUsage();
    if (expression.global) text.replaceAll(expression, '');
    else expression.exec(text);
    expression.lastIndex = 0;
    best = Math.min(best, process.threadCpuUsage(began).user / 1_000);
  }
  return best;
}
