import { type Framehold, FrameholdError } from '../../client/src/index.ts';
import { nearestName } from '../../server/src/base/nearest-name.ts';

/** Names to compare with: one page, because this is only a hint. */
const comparedMax = 1_000;

/** Runs a call; if there is no such frame or version, the error says which there are, or what to do otherwise. */
export async function withFrameHint<Result>(
  client: Framehold,
  handle: string,
  work: () => Promise<Result>,
  otherwise?: string,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof FrameholdError) || !/^frame_(not_found|gone)$/.test(thrown.code)) throw thrown;
    const hint = (await nearestFrame(client, handle).catch(() => undefined)) ?? otherwise;
    throw hint === undefined ? thrown : new FrameholdError({ ...fieldsOf(thrown), hint });
  }
}

async function nearestFrame(client: Framehold, handle: string): Promise<string | undefined> {
  const [name = '', version] = handle.split('@');
  const { frames } = await client.frames.list({ limit: comparedMax });
  const same = frames.find((frame) => frame.name === name);
  if (same !== undefined && version !== undefined)
    return `The newest version is ${same.handle}. framehold show ${name} --versions lists all.`;
  const near = nearestName(
    name,
    frames.map((frame) => frame.name),
  );
  return near === undefined ? undefined : `Did you mean ${near}? framehold ls lists the frames.`;
}

function fieldsOf({ code, status, title, detail, requestId }: FrameholdError) {
  return { code, status, title, detail, requestId };
}
