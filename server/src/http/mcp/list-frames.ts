import { summaryOf } from '../../model/manifest.ts';
import type { VersionSummary } from '../../model/version.ts';
import type { HttpContext } from '../context.ts';
import { decodeCursor, encodeCursor, isSharedPlace } from '../request/cursor.ts';
import type { Tool, ToolCall } from './tool.ts';
import type { ToolArguments } from './tool-arguments.ts';

/** What a model can look at in one step; each entry is about 200 bytes. */
const framesMax = 200;
const framesUsual = 50;
/** Names that one call looks at for a search, in pages: some milliseconds each. The next call goes on from there. */
const searchedMax = 5_000;
const searchedPage = 500;

export const listFrames: Tool = {
  name: 'list_frames',
  title: 'List frames',
  description:
    'Lists the data frames (tables) that the caller can read, by name, with the number of rows and bytes of the newest version. Give search for a part of the name, or of what people say of the frame and its columns. If next is not null, call again with it as cursor.',
  properties: {
    search: {
      type: 'string',
      description:
        'Only frames whose names or notes contain this text, in any case; of shared frames only names are searched.',
    },
    shared: {
      type: 'boolean',
      description: 'true: list the frames that other tenants share with the caller, instead of the own ones.',
    },
    limit: { type: 'integer', minimum: 1, maximum: framesMax, description: `Default: ${framesUsual}.` },
    cursor: { type: 'string', description: 'The value of next in the previous answer.' },
  },
  required: [],
  run: async (context, given, call) => {
    // As many as fit; the next call goes on from there.
    const found = given.flag('shared')
      ? await sharedPage(context, given, call)
      : await ownPage(context, given, call);
    return JSON.stringify({ frames: found.frames.map(shown), next: found.next });
  },
};

interface FoundPage {
  readonly frames: readonly VersionSummary[];
  readonly next: string | null;
}

async function ownPage(
  { frames, notes, mcp }: HttpContext,
  given: ToolArguments,
  { caller, signal }: ToolCall,
): Promise<FoundPage> {
  const begin = cursorOf(given, (value): value is string => typeof value === 'string');
  const text = given.text('search') ?? '';
  if (text !== '') {
    const limit = given.count('limit', framesMax, framesUsual);
    const found = await notes.search(caller, { text, after: begin, limit }, signal);
    return fitting(found.frames, found.next, mcp.bytesMax);
  }
  return searched(given, begin, mcp.bytesMax, {
    page: (after, limit) => frames.list(caller, { prefix: '', after, limit }, signal),
    placeOf: ({ name }) => name.toLowerCase(),
  });
}

async function sharedPage(
  { sharing, mcp }: HttpContext,
  given: ToolArguments,
  { caller, signal }: ToolCall,
): Promise<FoundPage> {
  return searched(given, cursorOf(given, isSharedPlace), mcp.bytesMax, {
    page: (after, limit) => sharing.sharedWithMe(caller, { after, limit }, signal),
    placeOf: ({ tenant, name }) => ({ tenant, name }),
  });
}

/** As many as fit. */
function fitting(found: readonly VersionSummary[], next: string | null, bytesMax: number): FoundPage {
  let bytes = 0;
  for (const [index, record] of found.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(shown(record))) + 1;
    const last = found[index - 1];
    if (bytes > bytesMax && last !== undefined)
      return { frames: found.slice(0, index), next: encodeCursor(last.name.toLowerCase()) };
  }
  return { frames: found, next: next === null ? null : encodeCursor(next) };
}

interface Listing<Place> {
  page(after: Place | null, limit: number): Promise<readonly VersionSummary[]>;
  /** After which the next page begins. */
  placeOf(frame: VersionSummary): Place;
}

async function searched<Place>(
  given: ToolArguments,
  begin: Place | null,
  bytesMax: number,
  { page, placeOf }: Listing<Place>,
): Promise<FoundPage> {
  const limit = given.count('limit', framesMax, framesUsual);
  const search = given.text('search')?.toLowerCase() ?? '';
  const frames: VersionSummary[] = [];
  let after = begin;
  let bytes = 0;
  for (let seen = 0; seen < searchedMax; ) {
    const size = search === '' ? limit + 1 : searchedPage;
    const records = await page(after, size);
    for (const record of records) {
      if (!summaryOf(record).name.toLowerCase().includes(search)) continue;
      bytes += Buffer.byteLength(JSON.stringify(shown(record))) + 1;
      const isFull = frames.length === limit || (bytes > bytesMax && frames.length > 0);
      if (isFull) return { frames, next: encodeCursor(after) };
      frames.push(record);
      after = placeOf(record);
    }
    const last = records.at(-1);
    if (last === undefined || records.length < size) return { frames, next: null };
    after = placeOf(last);
    seen += records.length;
  }
  return { frames, next: encodeCursor(after) };
}

function cursorOf<Place>(given: ToolArguments, accepts: (value: unknown) => value is Place): Place | null {
  const cursor = given.text('cursor');
  return cursor === undefined ? null : decodeCursor(cursor, accepts);
}

function shown(record: VersionSummary): object {
  const { handle, rows, bytes, createdAt, expiresAt } = summaryOf(record);
  return { handle, rows, bytes, createdAt, expiresAt };
}
