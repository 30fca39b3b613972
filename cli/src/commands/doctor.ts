import type { Call, Finding } from '../command.ts';
import { chooseServer } from '../connection/choose-server.ts';
import { profilesFile } from '../connection/profiles.ts';
import { examineConnection } from '../doctor/examine-connection.ts';
import { LocalError } from '../local-error.ts';
import { safeText } from '../output/safe-text.ts';

/** 0 if nothing is wrong, 1 if something is. */
export async function run(call: Call): Promise<number> {
  const { options, output, host } = call;
  const findings: Finding[] = [
    {
      check: 'this command',
      state: 'ok',
      detail: `framehold ${host.version}, Node ${process.versions.node}`,
    },
    ...(await examineClient(call)),
  ];
  const flags = ['config', 'data-dir'].flatMap((name) => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (options.has('server') || flags.length > 0) findings.push(...(await host.checkServer(new Map(flags))));
  const isWell = findings.every(({ state }) => state !== 'problem');
  if (options.has('json')) await output.line(JSON.stringify({ ok: isWell, findings }));
  else for (const finding of findings) await output.write(describe(finding));
  return isWell ? 0 : 1;
}

async function examineClient({ options, environment, host }: Call): Promise<readonly Finding[]> {
  try {
    return await examineConnection(chooseServer(options, environment), host.version);
  } catch (error) {
    // A file of profiles or a token that is not usable.
    if (!(error instanceof LocalError)) throw error;
    return [
      { check: 'profiles', state: 'problem', detail: error.message, remedy: error.hint },
      { check: 'connection', state: 'skipped', detail: `not tried, because of ${profilesFile(environment)}` },
    ];
  }
}

const marks = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM', skipped: 'skipped' } as const;

function describe({ check, state, detail, remedy }: Finding): string {
  const line = `${marks[state]}  ${check.padEnd(17)} ${safeText(detail)}\n`;
  return remedy === undefined ? line : `${line}${' '.repeat(27)}→ ${safeText(remedy)}\n`;
}
