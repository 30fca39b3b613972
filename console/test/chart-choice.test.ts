import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type ChartChoice,
  choiceOf,
  fittingChoice,
  parametersOf,
  suggestChoice,
} from '../src/chart/chart-choice.ts';

const time = { name: 'time', type: 'TIMESTAMP' };
const price = { name: 'price', type: 'DECIMAL(12,2)' };
const size = { name: 'size', type: 'DOUBLE' };
const symbol = { name: 'symbol', type: 'SYMBOL' };
const id = { name: 'trade_id', type: 'LONG' };

function brief(choice: ChartChoice | null): string {
  return choice === null ? 'none' : `${choice.kind} ${choice.x} ${choice.aggregate}(${choice.y.join()})`;
}

test('the first chart follows from the types of the columns', () => {
  const cases: [Parameters<typeof suggestChoice>[0], string][] = [
    [[id, symbol, time, price], 'line time avg(price)'],
    [[time, id], 'line time avg(trade_id)'],
    [[symbol, time], 'line time count()'],
    [[symbol, id, price], 'bar symbol sum(price)'],
    [[symbol], 'bar symbol count()'],
    [[price, size], 'line price avg(size)'],
    [[price], 'histogram price count()'],
    [
      [
        { name: 'b', type: 'BINARY' },
        { name: 'l', type: 'ARRAY' },
      ],
      'none',
    ],
    [[], 'none'],
  ];
  for (const [columns, expected] of cases)
    assert.equal(brief(suggestChoice(columns)), expected, columns.map(({ name }) => name).join());
});

test('a choice keeps what the columns have', () => {
  const columns = [time, price, size, symbol];
  const choice: ChartChoice = {
    kind: 'line',
    x: 'time',
    y: ['price', 'gone', 'symbol'],
    by: 'symbol',
    aggregate: 'max',
  };
  assert.deepEqual(fittingChoice(choice, columns), { ...choice, y: ['price'] });
  assert.equal(brief(fittingChoice({ ...choice, x: 'gone' }, columns)), 'line time avg(price)');
  assert.equal(fittingChoice({ ...choice, by: 'price' }, columns)?.by, null, 'numbers do not split');
  assert.equal(
    brief(fittingChoice({ ...choice, x: 'symbol' }, columns)),
    'bar symbol max(price)',
    'no line over names',
  );
  assert.equal(
    brief(fittingChoice({ ...choice, kind: 'scatter', y: [] }, columns)),
    'scatter time max(price)',
  );
  assert.equal(brief(fittingChoice({ ...choice, kind: 'histogram' }, columns)), 'histogram time count()');
});

test('a choice survives the address, with any name', () => {
  const choice: ChartChoice = { kind: 'area', x: 'a&b=c', y: ['x,y', '"z"'], by: 'ä #', aggregate: 'sum' };
  const parameters = new URLSearchParams(
    Object.entries(parametersOf(choice)).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  assert.deepEqual(choiceOf(new URLSearchParams(parameters.toString())), choice);
  assert.equal(choiceOf(new URLSearchParams('chart=pie&x=a')), null);
  assert.deepEqual(choiceOf(new URLSearchParams('chart=bar&x=a&y={"b":1}&agg=median'))?.y, []);
});
