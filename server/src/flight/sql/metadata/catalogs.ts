import { frameSchema } from '../../../model/sql-names.ts';
import { NamePattern } from '../../../sql/catalog/name-pattern.ts';
import type { CommandGetDbSchemas } from '../../gen/FlightSql_pb.js';
import { field, utf8 } from '../rows/fields.ts';
import type { Row } from '../rows/small-table.ts';
import { catalogMatches, patternMatches, tableType } from './names.ts';

export const catalogFields = [field('catalog_name', utf8, false)];
export const dbSchemaFields = [field('catalog_name', utf8, true), field('db_schema_name', utf8, false)];
export const tableTypeFields = [field('table_type', utf8, false)];

export function catalogRows(catalogs: readonly string[]): readonly Row[] {
  return catalogs.map((catalog) => [catalog]);
}

export function dbSchemaRows(command: CommandGetDbSchemas, catalogs: readonly string[]): readonly Row[] {
  const { catalog: wanted, dbSchemaFilterPattern } = command;
  const pattern = dbSchemaFilterPattern === undefined ? null : new NamePattern(dbSchemaFilterPattern);
  if (!patternMatches(pattern, frameSchema)) return [];
  return catalogs
    .filter((catalog) => catalogMatches(wanted, catalog))
    .map((catalog) => [catalog, frameSchema]);
}

export function tableTypeRows(): readonly Row[] {
  return [[tableType]];
}
