import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeNotes, noNotes } from '../../src/model/notes.ts';

test('a column may have the name of anything that every object has', () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
    const columns = Object.fromEntries([[name, { unit: 'USD' }]]);
    const noted = changeNotes(noNotes, { columns });
    assert.deepEqual(Object.entries(noted.columns), [[name, { comment: null, unit: 'USD' }]]);
    const more = changeNotes(noted, { columns: Object.fromEntries([[name, { comment: 'said' }]]) });
    assert.deepEqual(Object.entries(more.columns), [[name, { comment: 'said', unit: 'USD' }]]);
    const none = changeNotes(more, { columns: Object.fromEntries([[name, null]]) });
    assert.deepEqual(Object.entries(none.columns), []);
  }
});
