import { isReloadable } from './live-settings.ts';
import { flagsOf, variablesOf } from './setting-names.ts';
import { type SettingKey, settingKeys, settingOf } from './settings.ts';

const introduction = `# Settings

<!-- Made from server/src/config/settings.ts by \`node scripts/write-reference.ts\`. Change it there. -->

Every setting can be given as a flag, as an environment variable or in the file. Where it is given more than once, the
flag counts before the environment, the environment before the file, and the file before the default.

- **Flags** are named after the keys: \`--storage-cache-size-gb 2\` or \`--storage-cache-size-gb=2\`. Some have a shorter name too:
  \`--grpc-port 50052\`. A switch needs no value: \`--http-trust-proxy\`.
- **Environment**: the first name that has a value counts. An empty value is no value. A \`FRAMEHOLD_…\` name that is not
  listed here stops the start; the variables that Kubernetes makes for services are passed over.
- **File**: the one that \`--config\` names, else \`~/.framehold/config.toml\`, else \`~/.service/config.toml\`. It is TOML:
  \`server.grpc_port = 50052\`, or \`grpc_port = 50052\` below \`[server]\`. A key that is not listed here stops the start.
- **Sizes** are bytes, plain or with a unit: \`64MiB\` is 64 · 2²⁰, \`2GB\` is 2 · 10⁹. **Times** are milliseconds, plain
  or with a unit: \`10s\`.
- **Paths** that are not absolute begin in the directory in which the server was started.

SIGHUP makes a server that runs as a service load them again ([running](../guides/running.md#reloading-settings)); those that then count are
marked below, the others need a restart.

\`framehold config\` prints the values in force and where each came from, in the form of the file.
`;

/** docs/reference/settings.md */
export function renderSettingsDocument(): string {
  const sections = Map.groupBy(settingKeys, (key) => (key.includes('.') ? key.split('.')[0] : undefined));
  const blocks = [...sections].map(([section, keys]) => {
    const heading = section === undefined ? '## At the top of the file' : `## \`[${section}]\``;
    return `\n${heading}\n\n${keys.map(renderSetting).join('\n')}`;
  });
  return introduction + blocks.join('');
}

function renderSetting(key: SettingKey): string {
  const { kind, doc, why, default: usual } = settingOf(key);
  const names = variablesOf(key).map(({ name }) => `\`${name}\``);
  return `### \`${key}\`

${doc}

| | |
|---|---|
| Default | ${usual === undefined ? 'not set' : `\`${usual}\``} |
| Allowed | ${kind.allowed.replaceAll('|', '\\|')} |
| Flag | ${flagsOf(key)
    .map((flag) => `\`--${flag}\``)
    .join(', ')} |
| Environment | ${names.join(', ')} |
${isReloadable(key) ? '| On SIGHUP | loaded again |\n' : ''}${why === undefined ? '' : `| Why this default | ${why} |\n`}`;
}
