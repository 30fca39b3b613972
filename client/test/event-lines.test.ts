import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EventLines, type SentEvent } from '../src/events/event-lines.ts';

function read(...pieces: string[]): SentEvent[] {
  const lines = new EventLines();
  return pieces.flatMap((piece) => [...lines.push(piece)]);
}

describe('lines of server-sent events', () => {
  it('gives id, kind and data', () => {
    assert.deepEqual(read('id: 7\nevent: frame.created\ndata: {"name":"a"}\n\n'), [
      { id: '7', kind: 'frame.created', data: '{"name":"a"}' },
    ]);
  });

  it('leaves the id out if the event has none, also after one that had', () => {
    const [, second] = read('id: 7\ndata: a\n\n', 'event: statement.started\ndata: b\n\n');
    assert.deepEqual(second, { id: undefined, kind: 'statement.started', data: 'b' });
  });

  it('passes over comments, unknown fields and events without data', () => {
    assert.deepEqual(read(': \n\n', ':heartbeat\n', 'retry: 5\n\n', 'event: x\n\n', 'data: a\n\n'), [
      { id: undefined, kind: 'message', data: 'a' },
    ]);
  });

  it('joins several lines of data, and takes off one space only', () => {
    assert.equal(read('data:  a\ndata:b\ndata\n\n')[0]?.data, ' a\nb\n');
  });

  it('gives the same events however the text is cut, and for every end of a line', () => {
    const text = 'id: 1\nevent: a\ndata: x\n\n: \n\nid: 2\ndata: {"y":":"}\ndata: z\n\nevent: b\ndata:\n\n';
    const whole = read(text);
    assert.equal(whole.length, 3);
    fc.assert(
      fc.property(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(text.length * 2), { maxLength: 12 }),
        (end, cuts) => {
          const sent = text.replaceAll('\n', end);
          const places = [0, ...cuts.filter((cut) => cut < sent.length).sort((a, b) => a - b), sent.length];
          const pieces = places.slice(1).map((place, index) => sent.slice(places[index], place));
          assert.deepEqual(read(...pieces), whole);
        },
      ),
    );
  });

  it('refuses an event without end', () => {
    const endless = 'data: '.padEnd(65_536, 'x');
    const lines = new EventLines();
    assert.throws(
      () => {
        for (let piece = 0; piece < 20; piece++) for (const _ of lines.push(endless));
      },
      { code: 'unreadable_answer' },
    );
    const many = new EventLines();
    assert.throws(
      () => {
        for (let piece = 0; piece < 20; piece++) for (const _ of many.push(`${endless}\n`));
      },
      { code: 'unreadable_answer' },
    );
  });
});
