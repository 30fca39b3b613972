import type { AccessGuard } from '../../frames/access/access-guard.ts';
import type { Audit } from '../../frames/access/audit.ts';
import type { Caller } from '../../model/caller.ts';
import type { Clock } from '../../model/clock.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { SavedLimits, SavedQuery } from '../../ports/catalog/queries.ts';
import type { SavedQueries } from './saved-queries.ts';
import { checkNewName, checkStoredName } from './saved-query-name.ts';

export interface SavedQueriesDependencies {
  readonly catalog: Pick<Catalog, 'savedQueries' | 'saveQuery' | 'removeQuery'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly now: Clock;
}

export interface SavedQueriesOptions {
  /** The longest text of a statement. */
  readonly textBytesMax: number;
}

/** A list of a thousand is longer than people look through. All of them are one answer, and 4 MiB of it are made in some 10 ms. */
const savedLimits: SavedLimits = { countMax: 1_000, bytesMax: 4 * 1024 * 1024 };

export class SavedQueriesService implements SavedQueries {
  readonly #dependencies: SavedQueriesDependencies;
  readonly #options: SavedQueriesOptions;

  constructor(dependencies: SavedQueriesDependencies, options: SavedQueriesOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  async list(caller: Caller): Promise<readonly SavedQuery[]> {
    const { access, catalog } = this.#dependencies;
    access.check(caller, 'saved.list');
    return catalog.savedQueries(caller.tenant);
  }

  async save(
    caller: Caller,
    name: string,
    sql: string,
  ): Promise<{ readonly query: SavedQuery; readonly isCreated: boolean }> {
    const { access, audit, catalog, now } = this.#dependencies;
    access.check(caller, 'saved.save');
    checkNewName(name);
    this.#checkText(sql);
    const query: SavedQuery = { name, sql, savedAt: now(), savedBy: caller.name };
    const { isCreated } = await audit.attempt(caller, 'saved.save', null, () =>
      catalog.saveQuery(caller.tenant, query, savedLimits),
    );
    audit.done(caller, 'saved.save', null, { detail: name });
    return { query, isCreated };
  }

  async remove(caller: Caller, name: string): Promise<void> {
    const { access, audit, catalog } = this.#dependencies;
    access.check(caller, 'saved.remove');
    checkStoredName(name);
    if (!(await catalog.removeQuery(caller.tenant, name)))
      throw new FrameholdError('query_not_found', `There is no saved query ${JSON.stringify(name)}.`, {
        hint: 'GET /v1/saved-queries lists them.',
      });
    audit.done(caller, 'saved.remove', null, { detail: name });
  }

  #checkText(sql: string): void {
    const { textBytesMax } = this.#options;
    if (sql.trim() === '' || !sql.isWellFormed() || sql.includes('\0'))
      throw new FrameholdError('bad_request', 'The statement is empty or not valid Unicode.', {
        hint: 'Give the text of a statement.',
      });
    if (Buffer.byteLength(sql) > textBytesMax)
      throw new FrameholdError(
        'body_too_large',
        `The statement has ${Buffer.byteLength(sql)} bytes; at most ${textBytesMax} are allowed.`,
        { hint: 'The limit is sql.text_bytes_max.' },
      );
  }
}
