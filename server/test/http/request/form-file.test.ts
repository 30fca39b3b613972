import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormFile, type FormFileHead, formBoundary } from '../../../src/http/request/form-file.ts';
import { FrameholdError } from '../../../src/model/errors.ts';

const boundary = 'X-bound';
const head =
  'Content-Disposition: form-data; name="file"; filename="a b.csv"\r\nContent-Type: text/csv\r\n\r\n';
/** A file with everything in it that looks like a boundary and is none. */
const file = 'a,b\r\n--X-boun\r\n-X-bound\r\r\n1,2\r\n';
const form = `--${boundary}\r\n${head}${file}\r\n--${boundary}--\r\n`;

async function taken(text: string, size: number): Promise<{ heads: FormFileHead[]; bytes: string }> {
  const heads: FormFileHead[] = [];
  let bytes = '';
  const sink = new FormFile(boundary, async (begun) => {
    heads.push(begun);
    return {
      write: async (chunks) => {
        bytes += Buffer.concat(chunks).toString();
      },
    };
  });
  for (let at = 0; at < text.length; at += size) await sink.write([Buffer.from(text.slice(at, at + size))]);
  sink.end();
  return { heads, bytes };
}

const isBad = (error: unknown) => error instanceof FrameholdError && error.kind === 'bad_body';

test('the file comes out whole, wherever the form is cut into chunks', async () => {
  for (let size = 1; size <= form.length; size++) {
    const { heads, bytes } = await taken(form, size);
    assert.equal(bytes, file, `chunks of ${size}`);
    assert.deepEqual(heads, [{ fileName: 'a b.csv', contentType: 'text/csv' }]);
  }
});

test('an empty file, and lines before and behind the form, are taken', async () => {
  const { bytes } = await taken(`see\r\n--${boundary}\r\n${head}\r\n--${boundary}--\r\nthe end`, 5);
  assert.equal(bytes, '');
});

test('a form that is cut off, has no file or has headers without end is refused', async () => {
  for (let length = 0; length < form.length - 4; length += 7)
    await assert.rejects(taken(form.slice(0, length), 10), isBad, `cut at ${length}`);
  await assert.rejects(taken(`--${boundary}--\r\n`, 4), isBad);
  await assert.rejects(taken(`--${boundary}\r\nX: ${'x'.repeat(20_000)}`, 1_000), isBad);
  await assert.rejects(taken('x'.repeat(20_000), 1_000), isBad);
});

test('the boundary is found in the type of the body', () => {
  assert.equal(formBoundary('multipart/form-data; boundary=abc'), 'abc');
  assert.equal(formBoundary('Multipart/Form-Data; charset=utf-8; Boundary="a=b"'), 'a=b');
  assert.equal(formBoundary('text/csv'), null);
  assert.throws(() => formBoundary('multipart/form-data'), isBad);
});
