import { flagsOf } from '../config/setting-names.ts';
import { settingKeys, settingOf } from '../config/settings.ts';

const introduction = `Framehold holds data frames under handles and serves them over HTTP and Arrow Flight.

Usage: framehold [command] [flags]

Commands:
  server     start the server (also when no command is given)
  config     print the settings in force and where each came from; --json for programs
  verify     read everything that is stored and compare, also while servers run; --json for programs
  token      create, list, revoke ID: the credentials of a data directory, also while a server runs on it
  tenant     list, show NAME, set NAME: what tenants hold and their limits, also while a server runs on it
  backup     DIRECTORY: copy the data directory, also while a server runs on it; only what is new is copied.
             list DIRECTORY, verify DIRECTORY, remove DIRECTORY ID
  restore    DIRECTORY: fill a new --data-dir from a backup
  migrate    from DIRECTORY, to DIRECTORY: move a data directory to PostgreSQL and a bucket, or back; servers are stopped
  accept-restore
             after PostgreSQL was restored to an earlier moment: let the nodes remove objects again
  help       this text
  version    the version

Try:
  framehold server --data-dir ./data
  curl http://127.0.0.1:9000/ping

Flags:
  --config FILE       read settings from this file, not from ~/.framehold/config.toml
  --tenant, --scope, --ttl, --name, --certificate, --json
                      of token create: whose, for what (read, write, admin, tsdb, metrics, operator), for how long
  --bytes-max, --frames-max, --queries-max, --streams-max, --requests-per-second, --requests-burst
                      of tenant set: the limits of one tenant, or default for those of the server
  --keep N            of backup: how many backups of this data directory stay
  --at ID             of restore: which backup; without it the newest
  --ready-file FILE   write the addresses to this file, as JSON, once the server answers
`;

const settingsText = `
Settings, each also a variable (--grpc-port is FRAMEHOLD_GRPC_PORT) and a key of the file (server.grpc_port):
`;

export function helpText(): string {
  const rows = settingKeys.map((key) => {
    const { kind, doc, default: usual } = settingOf(key);
    const names = flagsOf(key).map((name) => `--${name}`);
    const flag = `${names.join(', ')}${kind.placeholder === null ? '' : ` ${kind.placeholder}`}`;
    // The first sentence; docs/reference/settings.md has the rest.
    const [sentence] = doc.replaceAll('`', '').split(/(?<=[.;])\s/);
    return `  ${flag}\n      ${sentence?.replace(/[.;]$/, '')}${usual === undefined ? '' : ` (${usual})`}\n`;
  });
  return introduction + settingsText + rows.join('');
}
