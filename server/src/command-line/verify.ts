import type { Settings } from '../config/settings.ts';
import type { VerifyFault, VerifyReport } from '../frames/background/verify.ts';
import { describeStartFailure } from './start-failure.ts';

export interface VerifyCommand {
  readonly settings: Settings;
  readonly json: boolean;
  readonly verify: (
    settings: Settings,
    progress: (objects: number, bytes: number) => void,
  ) => Promise<VerifyReport>;
  /** For programs: standard output. */
  readonly print: (text: string) => void;
  /** For people: standard error. */
  readonly printError: (text: string) => void;
}

/** Lines of progress at most once in this time. */
const progressEveryMs = 1_000;

/** Returns the exit code: 0 if everything is as it was put, 1 if something is not, 2 if it could not be looked at. */
export async function runVerify({
  settings,
  json,
  verify,
  print,
  printError,
}: VerifyCommand): Promise<number> {
  let toldAt = performance.now();
  let report: VerifyReport;
  try {
    report = await verify(settings, (objects, bytes) => {
      if (performance.now() - toldAt < progressEveryMs) return;
      toldAt = performance.now();
      printError(`${objects} objects, ${Math.round(bytes / 1e6)} MB compared …\n`);
    });
  } catch (error) {
    const reason = describeStartFailure(error, settings) ?? String(error);
    printError(`framehold: ${reason}\n`);
    return 2;
  }
  print(json ? `${JSON.stringify(report)}\n` : describeReport(report));
  return report.faults.length > 0 || report.catalog.length > 0 ? 1 : 0;
}

function describeReport(report: VerifyReport): string {
  const { objects, bytes, faults, removedEarlier, restored, replaced, orphans, catalog, recorded } = report;
  const lines = [
    ...catalog.map((line) => `catalog: ${line}`),
    ...faults.map((fault) => describeFault(fault, recorded)),
    ...removedEarlier.map(
      ({ key, fault, frames, foundAt }) =>
        `removed ${iso(foundAt)}: ${key}: ${fault}; was used by ${usedBy(frames)}, whose rows another form holds`,
    ),
    ...replaced.map(
      ({ key, fault, frames, foundAt }) =>
        `replaced: ${key}: ${fault}; found ${iso(foundAt)}; was used by ${usedBy(frames)}, for which a new file was written`,
    ),
    ...restored.map(({ key, frames }) => `restored: ${key}: as it was put again; used by ${usedBy(frames)}`),
    ...orphans.map((key) => `orphan: ${key}: not in the catalog; removed two days after it was written`),
  ];
  const wrong = faults.length + catalog.length;
  const recovered = faults.filter((fault) => fault.recovered).length;
  const verdict =
    wrong === 0
      ? 'all as they were put'
      : recorded
        ? `${faults.length} damaged and quarantined, ${recovered} of them beside another form`
        : `${faults.length} damaged. Nothing is recorded while a server runs: it does so when it reads these files, at the latest by its own scrub`;
  lines.push(`${objects} objects, ${bytes} bytes: ${verdict}.`);
  return `${lines.join('\n')}\n`;
}

function describeFault(
  { key, kind, detail, frames, recovered, since }: VerifyFault,
  recorded: boolean,
): string {
  const action =
    since !== null || recorded
      ? `quarantined${since === null ? '' : ` since ${iso(since)}`}: ${recovered ? 'another form is read' : 'reads of these versions are refused'}`
      : 'not quarantined yet';
  return `${kind}: ${key}: ${detail}; used by ${usedBy(frames)}; ${action}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function usedBy(frames: readonly string[]): string {
  return frames.length === 0 ? 'no version' : frames.join(' ');
}
