import { flagOf, flagsOf } from '../config/setting-names.ts';
import { settingKeys, settingOf } from '../config/settings.ts';

const introduction = `Framehold holds data frames under handles and serves them over HTTP and Arrow Flight.

Usage: framehold COMMAND [flags]

Commands for frames on a server (framehold COMMAND --help has the details):
  put        FILE|- [NAME]: store a file, or standard input, as a frame
  get        HANDLE [FILE|-]: write the rows of a frame to a file or standard output
  ls         [PREFIX]: list the frames
  show       HANDLE: columns, size and origin of a frame
  head       HANDLE: the first rows of a frame
  sql        [FILE|-]: run SQL over frames; on a terminal, a shell with history and completion
  rm         HANDLE …: drop frames, or single versions
  undrop     NAME: bring back a frame that was dropped
  restore    NAME@VERSION: restore an earlier version of a frame as the newest
  link       HANDLE: create a link to a version, list links, or revoke one
  tag        HANDLE [TAG]: give a version a name, move or remove one, or list them
  note       NAME: say what a frame and its columns are, or read what others say
  diff       NAME@VERSION [NAME@VERSION]: show how two versions differ
  watch      [NAME …]: print changes of frames as they happen, or the rows that are added to one
  login      [URL]: check a token and save it with the address as a profile
  logout     remove a profile and its token
  doctor     find problems of a server, this machine or the connection, and their remedies
  completion bash|zsh|fish: print a script that lets a shell complete commands, flags and frames

Commands of a server:
  server     start the server (the word may be omitted: framehold --data-dir ./data)
  config     print all settings and their sources; --json for programs
  verify     read all stored data and compare checksums, also while servers run; --json for programs
  token      create, list, revoke ID: credentials of a data directory, also while a server runs
  tenant     list, show NAME, set NAME: usage and limits of tenants, also while a server runs
  backup     DIRECTORY: copy the data directory, also while a server runs; only new data is copied.
             list DIRECTORY, verify DIRECTORY, remove DIRECTORY ID
  restore    DIRECTORY: fill a new --data-dir from a backup
  migrate    from DIRECTORY, to DIRECTORY: move a data directory to PostgreSQL and a bucket, or back; stop the servers first
  accept-restore
             after PostgreSQL was restored to an earlier moment: let the nodes remove objects again
  help       print this text (also without a command)
  version    the version

Try:
  framehold server --data-dir ./data
  framehold put trades.csv --link

Flags:
  --config FILE       read settings from this file instead of ~/.framehold/config.toml
  --tenant, --scope, --ttl, --name, --certificate, --json
                      for token create: tenant, scope (read, write, admin, tsdb, metrics, operator), lifetime, …
  --bytes-max, --frames-max, --queries-max, --streams-max, --requests-per-second, --requests-burst
                      for tenant set: limits of one tenant; default resets to those of the server
  --keep N            for backup: how many backups of this data directory to keep
  --at ID             for restore: which backup; default: the newest
  --ready-file FILE   write the addresses to this file, as JSON, once the server is ready
`;

const settingsText = `
Settings, each also a variable (--grpc-port is FRAMEHOLD_GRPC_PORT) and a key of the file (server.grpc_port):
`;

export function helpText(): string {
  const rows = settingKeys.map((key) => {
    const { kind, doc, default: usual, formerly } = settingOf(key);
    const former = formerly === undefined ? '' : flagOf(formerly);
    const names = flagsOf(key).flatMap((name) => (name === former ? [] : [`--${name}`]));
    const flag = `${names.join(', ')}${kind.placeholder === null ? '' : ` ${kind.placeholder}`}`;
    // The first sentence; docs/reference/settings.md has the rest.
    const [sentence] = doc.replaceAll('`', '').split(/(?<=[.;])\s/);
    return `  ${flag}\n      ${sentence?.replace(/[.;]$/, '')}${usual === undefined ? '' : ` (${usual})`}\n`;
  });
  return introduction + settingsText + rows.join('');
}
