/** The programs that check the files of deploy/, as `npm run setup` installs them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { partsFolder, repositoryRoot } from './repository.ts';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

const programs = {
  compose: 'bin/compose-v2.16.2',
  hadolint: 'deploy/bin/hadolint',
  haproxy: 'haproxy/usr/sbin/haproxy',
  helm: 'bin/helm-v3.22.0',
  'kubernetes-validate': 'deploy/bin/kubernetes-validate',
  promtool: 'bin/promtool',
  python: 'deploy/bin/python',
} as const;

export type DeployTool = keyof typeof programs;

export function toolPath(tool: DeployTool): string {
  return join(partsFolder, programs[tool]);
}

/** Libraries of Debian's package, which is unpacked but not installed. */
export const haproxyEnvironment = {
  LD_LIBRARY_PATH: join(partsFolder, 'haproxy/usr/lib/x86_64-linux-gnu'),
};

/** Runs one to its end; in the repository's root, unless another folder is given. */
export function runTool(
  tool: DeployTool,
  args: readonly string[],
  options: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Outcome {
  const { status, stdout, stderr, error } = spawnSync(toolPath(tool), args, {
    cwd: options.cwd ?? repositoryRoot,
    encoding: 'utf8',
    input: options.input ?? '',
    env: { ...process.env, ...(tool === 'haproxy' ? haproxyEnvironment : {}), ...options.env },
    maxBuffer: 64 * 1024 ** 2,
  });
  if (error) throw error;
  return { code: status, out: stdout, errors: stderr };
}

const readYaml = 'import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)';

/** The documents of a YAML text. */
export function parseYaml(text: string): unknown[] {
  const { code, out, errors } = runTool('python', ['-c', readYaml], { input: text });
  if (code !== 0) throw new Error(errors);
  return JSON.parse(out);
}
