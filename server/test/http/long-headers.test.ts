import { test } from 'node:test';
import { chooseFormat } from '../../src/encode/media-types.ts';
import { contentDigests } from '../../src/http/request/content-digest.ts';
import { chooseCoding } from '../../src/http/response/content-coding.ts';
import { tagMatches } from '../../src/http/response/etag.ts';
import { assertTook } from '../support/machine-pace.ts';

const headerBytes = 128 * 1024;
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  Accept: (text) => chooseFormat(undefined, text),
  'Accept-Encoding': chooseCoding,
  'If-None-Match': (text) => tagMatches(text, '"abc.1"', true),
  'Content-Digest': (text) => contentDigests({ 'content-digest': text }),
};

for (const [header, read] of Object.entries(readers)) {
  test(`${header} of 128 KiB of separators takes less than 10 ms`, () => {
    for (const repeated of [',', ';', '*/*,', 'a;q=0,', '"",', 'a=::,']) {
      const text = repeated.repeat(headerBytes / repeated.length);
      // Of this thread alone: others share the processor. The first runs are not compiled yet.
      const times = Array.from({ length: 5 }, () => {
        const began = process.threadCpuUsage();
        try {
          read(text);
        } catch {
          // A refusal is as good.
        }
        return process.threadCpuUsage(began).user / 1_000;
      });
      assertTook(Math.min(...times), 10, JSON.stringify(repeated));
    }
  });
}
