import { flagsOf } from '../config/setting-names.ts';
import { settingKeys, settingOf } from '../config/settings.ts';

const introduction = `Framehold holds data frames under handles and serves them over HTTP and Arrow Flight.

Usage: framehold COMMAND [flags]

Commands for frames on a server (framehold COMMAND --help says more of each):
  put        FILE|- [NAME]: store a file, or standard input, as a frame
  get        HANDLE [FILE|-]: write the rows of a frame to a file or standard output
  ls         [PREFIX]: list the frames
  show       HANDLE: what is known of a frame: columns, size, origin
  head       HANDLE: the first rows of a frame
  sql        [FILE|-]: run SQL over frames; on a terminal, a shell with history and completion
  rm         HANDLE …: drop frames, or single versions
  undrop     NAME: bring back a frame that was dropped
  restore    NAME@VERSION: make an earlier version of a frame the newest
  link       HANDLE: make a link to a version, list links, or revoke one
  diff       NAME@VERSION [NAME@VERSION]: how two versions differ
  watch      [NAME …]: print what happens to frames as it happens
  login      [URL]: check a token and save it with the address as a profile
  logout     remove a profile and its token
  doctor     find what is wrong with a server, this machine or the connection, and what to do
  completion bash|zsh|fish: print a script that lets a shell complete commands, flags and frames

Commands of a server:
  server     start the server (also with flags alone, as framehold --data-dir ./data)
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
  help       this text (also without a command)
  version    the version

Try:
  framehold server --data-dir ./data
  framehold put trades.csv --link

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
