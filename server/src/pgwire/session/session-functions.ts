import type { ResultColumn } from '../protocol/server-messages.ts';
import type { SessionCall } from '../text/command.ts';
import { boolColumn, intColumn, nameColumn, textColumn, voidColumn } from './listed-rows.ts';
import { type SessionState, tell } from './session-state.ts';
import { serverVersion } from './setting-table.ts';

/** The schema in which frames are. */
const schema = 'public';

export function functionColumn({ name, alias }: SessionCall): ResultColumn {
  const title = alias ?? name;
  switch (name) {
    case 'current_setting':
    case 'set_config':
    case 'version':
      return textColumn(title);
    case 'pg_backend_pid':
      return intColumn(title);
    case 'pg_is_in_recovery':
      return boolColumn(title);
    case 'pg_advisory_unlock_all':
      return voidColumn(title);
    default:
      return nameColumn(title);
  }
}

/** Its value, as text. */
export function callFunction(state: SessionState, { name, values }: SessionCall): string | null {
  const { settings, database, user, backendId } = state;
  const [first = '', second = '', third = ''] = values;
  switch (name) {
    case 'current_catalog':
    case 'current_database':
      return database;
    case 'current_schema':
      return schema;
    case 'current_setting':
      // The second value says whether an unknown setting is no error.
      return second === 'true' && !settings.has(first) ? null : settings.shown(first);
    case 'pg_advisory_unlock_all':
      // There are no locks that a session could hold.
      return '';
    case 'pg_backend_pid':
      return String(backendId);
    case 'pg_is_in_recovery':
      return 'f';
    case 'set_config':
      tell(state.outbox, settings.set(first, second, third === 'true' && state.transaction.isOpen));
      return settings.shown(first);
    case 'version':
      return `PostgreSQL ${serverVersion} compatible: Framehold, which reads frames with DuckDB`;
    default:
      return user;
  }
}
