import { field, int32, uint8, utf8 } from '../rows/fields.ts';

/** Frames have no keys: these result sets are always empty, and have the columns that clients look for. */

export const primaryKeyFields = [
  field('catalog_name', utf8, true),
  field('db_schema_name', utf8, true),
  field('table_name', utf8, false),
  field('column_name', utf8, false),
  field('key_name', utf8, true),
  field('key_sequence', int32, false),
];

/** Of exported keys, imported keys and cross references alike. */
export const foreignKeyFields = [
  field('pk_catalog_name', utf8, true),
  field('pk_db_schema_name', utf8, true),
  field('pk_table_name', utf8, false),
  field('pk_column_name', utf8, false),
  field('fk_catalog_name', utf8, true),
  field('fk_db_schema_name', utf8, true),
  field('fk_table_name', utf8, false),
  field('fk_column_name', utf8, false),
  field('key_sequence', int32, false),
  field('fk_key_name', utf8, true),
  field('pk_key_name', utf8, true),
  field('update_rule', uint8, false),
  field('delete_rule', uint8, false),
];
