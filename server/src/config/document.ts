import { isReloadable } from './live-settings.ts';
import { flagsOf, formerNames, variablesOf } from './setting-names.ts';
import { type SettingKey, settingKeys, settingOf } from './settings.ts';

const introduction = `# Settings

<!-- Made from server/src/config/settings.ts by \`node scripts/write-reference.ts\`. Change it there. -->

Every setting can be given as a flag, as an environment variable or in the configuration file. A flag takes precedence
over the environment, the environment over the file, and the file over the default.

- **Flags** are named after the keys: \`--storage-cache-size-gb 2\` or \`--storage-cache-size-gb=2\`. Some also have a
  shorter name: \`--grpc-port 50052\`. A switch needs no value: \`--http-trust-proxy\`.
- **Environment**: the first name that has a value is used. An empty value counts as unset. The server does not start if
  there is a \`FRAMEHOLD_…\` name that is not listed here; variables that Kubernetes creates for services are ignored.
- **File**: the file named by \`--config\`, otherwise \`~/.framehold/config.toml\`, otherwise \`~/.service/config.toml\`. It
  is TOML: \`server.grpc_port = 50052\`, or \`grpc_port = 50052\` below \`[server]\`. The server does not start if there is a
  key that is not listed here.
- **Sizes** are bytes, plain or with a unit: \`64MiB\` is 64 · 2²⁰, \`2GB\` is 2 · 10⁹. **Times** are milliseconds, plain
  or with a unit: \`10s\`.
- **Relative paths** are relative to the directory in which the server was started.

On SIGHUP, a server that runs as a service [reloads its settings](../guides/running.md#reloading-settings). Those marked
below take effect at once; the others need a restart.

A setting that was renamed is also read by its former names. The server writes a line with \`setting-renamed\` to its log when it starts.
If both are given in the same place, the new name counts.

\`framehold config\` prints the values in force and where each came from, in the format of the file.
`;

/** docs/reference/settings.md */
export function renderSettingsDocument(): string {
  const sections = Map.groupBy(settingKeys, (key) => (key.includes('.') ? key.split('.')[0] : undefined));
  const blocks = [...sections].map(([section, keys]) => {
    const heading = section === undefined ? '## Top level' : `## \`[${section}]\``;
    return `\n${heading}\n\n${keys.map(renderSetting).join('\n')}`;
  });
  return introduction + blocks.join('');
}

function renderSetting(key: SettingKey): string {
  const { kind, doc, why, default: usual, formerly } = settingOf(key);
  const former = formerly === undefined ? [] : formerNames(formerly);
  const quoted = (names: readonly string[]) =>
    names.flatMap((name) => (former.includes(name) ? [] : [`\`${name}\``])).join(', ');
  return `### \`${key}\`

${doc}

| | |
|---|---|
| Default | ${usual === undefined ? 'not set' : `\`${usual}\``} |
| Allowed | ${kind.allowed.replaceAll('|', '\\|')} |
| Flag | ${quoted(flagsOf(key).map((flag) => `--${flag}`))} |
| Environment | ${quoted(variablesOf(key).map(({ name }) => name))} |
${former.length === 0 ? '' : `| Former names, which still work | ${former.map((name) => `\`${name}\``).join(', ')} |\n`}${isReloadable(key) ? '| On SIGHUP | reloaded |\n' : ''}${why === undefined ? '' : `| Why this default | ${why} |\n`}`;
}
