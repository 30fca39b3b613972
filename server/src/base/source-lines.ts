import { readFileSync } from 'node:fs';
import { bundledFile } from './package-files.ts';
import { placeOf, type SourceMap } from './source-map.ts';

/** Frames of a stack trace that are looked up: the first ones say what happened. */
const framesMax = 20;

/** The code has some hundred places where errors are made or pass through. */
const placesMax = 10_000;

/** What was found, by file, line and column. To look one up takes milliseconds, and a caller can make an error as often as it likes. */
const places = new Map<string, string | null>();

/**
 * A stack trace of the bundle, with the lines of the sources. It reads only as much of a source map as it needs, when it is needed: Node's own support
 * would read all maps at every start, for a hundred milliseconds.
 */
export function withSourceLines(stack: string): string {
  const folder = bundledFile('')?.href;
  if (folder === undefined || !stack.includes(folder)) return stack;
  const maps = new Map<string, SourceMap | null>();
  let looked = 0;
  const sought = (file: string, line: number, column: number): string | null => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    const map = maps.get(file) ?? null;
    return map && placeOf(map, line, column);
  };
  return stack
    .split('\n')
    .map((frame) => {
      const begin = frame.indexOf(folder);
      if (begin === -1 || looked++ >= framesMax) return frame;
      const [whole, file = '', line, column] =
        /^([\w-]{1,64}\.js):(\d{1,9}):(\d{1,9})/.exec(frame.slice(begin + folder.length)) ?? [];
      if (whole === undefined) return frame;
      let place = places.get(whole);
      if (place === undefined) {
        place = sought(file, Number(line), Number(column));
        if (places.size < placesMax) places.set(whole, place);
      }
      return place === null
        ? frame
        : `${frame.slice(0, begin)}${place}${frame.slice(begin + folder.length + whole.length)}`;
    })
    .join('\n');
}

function readMap(file: string): SourceMap | null {
  try {
    return JSON.parse(readFileSync(bundledFile(`${file}.map`) as URL, 'utf8')) as SourceMap;
  } catch {
    // The trace of an error must not end in another one.
    return null;
  }
}
