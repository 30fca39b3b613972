/** A type of PostgreSQL's catalog `pg_type`. Clients know these OIDs and decode values by them. */
export interface PostgresType {
  readonly name: string;
  readonly oid: number;
  /** Of arrays of it; null if a list of these values is not an array. */
  readonly arrayOid: number | null;
  /** `atttypmod`: the digits of a numeric. -1 if it says nothing. */
  readonly modifier: number;
}

function type(name: string, oid: number, arrayOid: number | null): PostgresType {
  return { name, oid, arrayOid, modifier: -1 };
}

export const postgres = {
  bool: type('bool', 16, 1000),
  int2: type('int2', 21, 1005),
  int4: type('int4', 23, 1007),
  int8: type('int8', 20, 1016),
  float4: type('float4', 700, 1021),
  float8: type('float8', 701, 1022),
  numeric: type('numeric', 1700, 1231),
  text: type('text', 25, 1009),
  bytea: type('bytea', 17, 1001),
  date: type('date', 1082, 1182),
  time: type('time', 1083, 1183),
  timestamp: type('timestamp', 1114, 1115),
  timestamptz: type('timestamptz', 1184, 1185),
  interval: type('interval', 1186, 1187),
  uuid: type('uuid', 2950, 2951),
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
  return { ...element, name: `${element.name}[]`, oid: element.arrayOid, arrayOid: null };
}
