import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Figures, targetText, verdictOf } from '../../../bench/suite/verdict.ts';

const figures: Figures = { ratio: 0.8, value: 900, p99Ms: 15, ownMegabytes: 350 };

test('a target is met at its limit, in either direction', () => {
  assert.equal(verdictOf([{ of: 'ratio', atLeast: 0.8 }], figures), 'met');
  assert.equal(verdictOf([{ of: 'ratio', atMost: 0.8 }], figures), 'met');
  assert.equal(verdictOf([{ of: 'ratio', atLeast: 0.81 }], figures), 'missed');
  assert.equal(verdictOf([{ of: 'ratio', atMost: 0.79 }], figures), 'missed');
});

test('all targets must be met', () => {
  const targets = [
    { of: 'value', atLeast: 800 },
    { of: 'p99Ms', atMost: 20 },
  ] as const;
  assert.equal(verdictOf(targets, figures), 'met');
  assert.equal(verdictOf(targets, { ...figures, p99Ms: 20.1 }), 'missed');
  assert.equal(verdictOf(targets, { ...figures, value: 799 }), 'missed');
});

test('what was not measured, or is not a number, misses its target', () => {
  assert.equal(verdictOf([{ of: 'p99Ms', atMost: 20 }], { ...figures, p99Ms: null }), 'missed');
  assert.equal(verdictOf([{ of: 'ratio', atMost: 2 }], { ...figures, ratio: Number.NaN }), 'missed');
  assert.equal(verdictOf([{ of: 'ratio', atLeast: 2 }], { ...figures, ratio: Number.NaN }), 'missed');
});

test('without targets there is no verdict', () => {
  assert.equal(verdictOf([], figures), 'none');
});

test('targets are printed with what they limit', () => {
  assert.equal(targetText({ of: 'ratio', atLeast: 0.5 }), '≥ 0.5');
  assert.equal(targetText({ of: 'value', atLeast: 800 }), 'itself ≥ 800');
  assert.equal(targetText({ of: 'p99Ms', atMost: 20 }), 'p99 ≤ 20 ms');
  assert.equal(targetText({ of: 'ownMegabytes', atMost: 400 }), 'memory ≤ 400 MB');
});
