import { isMessage } from '@bufbuild/protobuf';
import type { Field } from '../../../arrow/field.ts';
import { catalogNames } from '../../../model/sql-names.ts';
import type { VisibleTablesDependencies } from '../../../sql/catalog/visible-tables.ts';
import type { Call } from '../../call.ts';
import * as sql from '../../gen/FlightSql_pb.js';
import type { ResultSet } from '../rows/result-set.ts';
import { pagedTable, type Row, smallTable } from '../rows/small-table.ts';
import {
  catalogFields,
  catalogRows,
  dbSchemaFields,
  dbSchemaRows,
  tableTypeFields,
  tableTypeRows,
} from './catalogs.ts';
import { foreignKeyFields, primaryKeyFields } from './keys.ts';
import { sqlInfoFields, sqlInfoTable } from './sql-info.ts';
import { type ServerFacts, type SqlInfoValue, sqlInfoValues } from './sql-info-values.ts';
import { tableFields, tablePages } from './tables.ts';
import { typeInfoFields, typeInfoRows } from './type-info.ts';

/** A metadata command: its columns are known before its rows are made. */
export interface MetadataQuery {
  readonly fields: readonly Field[];
  rows(call: Call): ResultSet;
}

export interface MetadataFacts extends ServerFacts {
  /** Whether `storage.duckdb_path` is configured. */
  readonly hasAnalytics: boolean;
}

/** What there is: catalogs, schemas, tables, types, keys, and what the server can do. */
export class Metadata {
  readonly #tables: VisibleTablesDependencies;
  readonly #catalogs: readonly string[];
  readonly #infoValues: ReadonlyMap<number, SqlInfoValue>;

  constructor(tables: VisibleTablesDependencies, facts: MetadataFacts) {
    this.#tables = tables;
    // Flight SQL wants them in order of their names.
    this.#catalogs = catalogNames(facts.hasAnalytics).toSorted();
    this.#infoValues = sqlInfoValues(facts);
  }

  /** null if the command is not one of metadata. */
  query(command: { readonly $typeName: string }): MetadataQuery | null {
    if (isMessage(command, sql.CommandGetTablesSchema)) {
      const fields = tableFields(command);
      return { fields, rows: (call) => pagedTable(fields, tablePages(command, this.#tables, call)) };
    }
    if (isMessage(command, sql.CommandGetSqlInfoSchema))
      return { fields: sqlInfoFields, rows: () => sqlInfoTable(this.#infoValues, command.info) };
    if (isMessage(command, sql.CommandGetCatalogsSchema))
      return fixed(catalogFields, catalogRows(this.#catalogs));
    if (isMessage(command, sql.CommandGetDbSchemasSchema))
      return fixed(dbSchemaFields, dbSchemaRows(command, this.#catalogs));
    if (isMessage(command, sql.CommandGetTableTypesSchema)) return fixed(tableTypeFields, tableTypeRows());
    if (isMessage(command, sql.CommandGetXdbcTypeInfoSchema))
      return fixed(typeInfoFields, typeInfoRows(command));
    if (isMessage(command, sql.CommandGetPrimaryKeysSchema)) return fixed(primaryKeyFields, []);
    const asksForForeignKeys =
      isMessage(command, sql.CommandGetExportedKeysSchema) ||
      isMessage(command, sql.CommandGetImportedKeysSchema) ||
      isMessage(command, sql.CommandGetCrossReferenceSchema);
    return asksForForeignKeys ? fixed(foreignKeyFields, []) : null;
  }
}

function fixed(fields: readonly Field[], rows: readonly Row[]): MetadataQuery {
  return { fields, rows: () => smallTable(fields, rows) };
}
