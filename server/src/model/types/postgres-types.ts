/** A type of PostgreSQL's catalog `pg_type`. Clients know these OIDs and decode values by them. */
export interface PostgresType {
  readonly name: string;
  readonly oid: number;
  /** Of arrays of it; null if a list of these values is not an array. */
  readonly arrayOid: number | null;
  /** `typlen`: of a value in PostgreSQL's memory; -1 if values differ in length. */
  readonly size: number;
  /** `atttypmod`: the digits of a numeric. -1 if it says nothing. */
  readonly modifier: number;
}

function type(name: string, oid: number, arrayOid: number | null, size = -1): PostgresType {
  return { name, oid, arrayOid, size, modifier: -1 };
}

export const postgres = {
  bool: type('bool', 16, 1000, 1),
  int2: type('int2', 21, 1005, 2),
  int4: type('int4', 23, 1007, 4),
  int8: type('int8', 20, 1016, 8),
  float4: type('float4', 700, 1021, 4),
  float8: type('float8', 701, 1022, 8),
  numeric: type('numeric', 1700, 1231),
  text: type('text', 25, 1009),
  bytea: type('bytea', 17, 1001),
  date: type('date', 1082, 1182, 4),
  time: type('time', 1083, 1183, 8),
  timestamp: type('timestamp', 1114, 1115, 8),
  timestamptz: type('timestamptz', 1184, 1185, 8),
  interval: type('interval', 1186, 1187, 16),
  uuid: type('uuid', 2950, 2951, 16),
  // A list of structs is one JSON value, not an array of them.
  json: type('json', 114, null),
} as const;

/** With digits and scale if PostgreSQL can say them. */
export function numeric(precision: number, scale: number): PostgresType {
  if (scale < 0 || scale > precision) return postgres.numeric;
  return { ...postgres.numeric, modifier: ((precision << 16) | scale) + 4 };
}

/** A list of these values. JSON if they have no array: lists of lists need not be rectangular, which PostgreSQL's arrays are. */
export function arrayOf(element: PostgresType): PostgresType {
  if (element.arrayOid === null) return postgres.json;
  return { ...element, name: `${element.name}[]`, oid: element.arrayOid, arrayOid: null, size: -1 };
}
