import type { Attack } from './attack.ts';

/** Settings of the session and of the application. */
export const settings: readonly Attack[] = [
  ['set', 'answers'],
  ['set -v', 'answers'],
  ['set spark.sql.variable.substitute', 'answers'],
  ['set spark.sql.variable.substitute=true', 'answers'],
  ['set spark.sql.runSQLOnFiles=true', 'answers'],
  ['SET spark.hadoop.fs.s3a.access.key=x', 'answers'],
  ['set `spark.sql.ansi.enabled`=`false`', 'answers'],
  ['reset', 'runs'],
  ['reset spark.sql.ansi.enabled', 'runs'],
  ["set time zone 'Europe/Berlin'", 'answers'],
  ['set time zone local', 'answers'],
  ['set var x = 1', 'fails'],
  ['set variable x = 1', 'fails'],
  ['set catalog spark_catalog', 'runs'],
  ['/* a */ set spark.sql.ansi.enabled = false', 'answers'],
  ['set spark.sql.ansi.enabled = false; select 1', 'fails'],
  ['set path = builtin', 'fails'],
  ['SET SPARK.SQL.ANSI.ENABLED = FALSE', 'answers'],
  ['set role admin', 'fails'],
  ['set hivevar:a=b', 'answers'],
  ['use default', 'runs'],
  ['use schema default', 'runs'],
  ['set spark.sql.extensions', 'answers'],
  ['set system:java.home', 'answers'],
];
