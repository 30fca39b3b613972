import type { AccessGuard } from '../../frames/access/access-guard.ts';
import type { Frames } from '../../frames/frames.ts';
import type { Notes } from '../../frames/notes/notes.ts';
import { notesPatchIn } from '../../frames/notes/notes-patch.ts';
import { linkEntryOf, type Sharing } from '../../frames/sharing/sharing.ts';
import { type Tags, tagEntryOf } from '../../frames/tags/tags.ts';
import { shownPins } from '../../frames/version-pins.ts';
import { FrameholdError } from '../../model/errors.ts';
import { formatHandle, parseHandle, parseName, parseTag, parseVersionHandle } from '../../model/handle.ts';
import { handleTextOf, manifestOf } from '../../model/manifest.ts';
import type { SharedPage } from '../../ports/catalog/sharing.ts';
import type { Call } from '../call.ts';
import { refuseConditions } from '../conditions.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { JsonFields } from '../json-fields.ts';
import { type Method, streamingMethod } from '../method.ts';
import type { FlightSql } from '../sql/flight-sql.ts';
import { sqlActions } from '../sql/sql-actions.ts';

export interface ActionDependencies {
  readonly frames: Frames;
  readonly sharing: Sharing;
  readonly tags: Tags;
  readonly notes: Notes;
}

interface Action {
  readonly description: string;
  readonly fields: readonly string[];
  run(fields: JsonFields, core: ActionDependencies, call: Call): Promise<object>;
}

/** Versions in one answer, fewer if their columns are many; a caller who wants more goes on with `before`. */
const versionsLimitMax = 1_000;
const versionsLimit = 100;
/** The default: long enough for a mail with the link to be read. */
const linkTtlMs = 86_400_000;

const actions: Readonly<Record<string, Action>> = {
  drop: {
    description:
      'Drops a frame or one version: {"handle", "ifVersion"?, "purge"?} gives {"dropped"}. A frame can be undropped unless "purge" is true.',
    fields: ['handle', 'name', 'ifVersion', 'purge'],
    async run(fields, { frames }, call) {
      const handle = parseHandle(handleText(fields));
      const ifVersion = fields.expectedVersion('ifVersion') ?? null;
      await frames.drop(call.caller, handle, { ifVersion, purge: fields.flag('purge') }, call.signal);
      return { dropped: handle.version === null ? handle.name : formatHandle(handle.name, handle.version) };
    },
  },
  undrop: {
    description: 'Undoes the drop of a frame: {"name"} gives its manifest.',
    fields: ['handle', 'name'],
    async run(fields, { frames }, call) {
      return manifestOf(
        (await frames.undrop(call.caller, parseName(handleText(fields)), call.signal)).record,
      );
    },
  },
  restore: {
    description:
      'Makes an earlier version the newest: {"name", "version", "ifVersion"?, "idempotencyKey"?} gives the manifest of the new version.',
    fields: ['handle', 'name', 'version', 'ifVersion', 'idempotencyKey'],
    async run(fields, { frames }, call) {
      const name = parseName(handleText(fields));
      const version = fields.wholeNumber('version');
      if (version === undefined)
        throw new FrameholdError('bad_request', 'The action names no version.', {
          hint: 'Give "version": the number of the one to restore.',
        });
      const ifVersion = fields.expectedVersion('ifVersion');
      const idempotencyKey = fields.text('idempotencyKey');
      const target = {
        version,
        ...(ifVersion === undefined ? {} : { ifVersion }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      };
      return manifestOf((await frames.restore(call.caller, name, target, call.signal)).record);
    },
  },
  expire: {
    description: 'Sets when a frame expires: {"name", "ttl": seconds, "30d" or null} gives its manifest.',
    fields: ['handle', 'name', 'ttl'],
    async run(fields, { frames }, call) {
      const ttlMs = fields.ttlMs('ttl');
      if (ttlMs === undefined) {
        throw new FrameholdError('bad_request', 'The action has no ttl.', {
          hint: 'Give seconds, text such as "30d", or null so that the frame never expires.',
        });
      }
      const expires = ttlMs === null ? null : { ttlMs };
      const name = parseName(handleText(fields));
      return manifestOf(await frames.expire(call.caller, name, { expires }, call.signal));
    },
  },
  keep: {
    description:
      'Sets how many versions of a frame are kept: {"name", "versions": number or null} gives its manifest.',
    fields: ['handle', 'name', 'versions'],
    async run(fields, { frames }, call) {
      if (!fields.has('versions'))
        throw new FrameholdError('bad_request', 'The action has no versions.', {
          hint: 'Give how many are kept, or null for as many as of other frames.',
        });
      const versionsKeep = fields.wholeNumber('versions') ?? null;
      const name = parseName(handleText(fields));
      return manifestOf(await frames.keepVersions(call.caller, name, { versionsKeep }, call.signal));
    },
  },
  versions: {
    description:
      'Lists kept versions, newest first, with what pins them: {"name", "before"?, "limit"?} gives {"versions": [manifests]}.',
    fields: ['handle', 'name', 'before', 'limit'],
    async run(fields, { frames }, call) {
      const limit = fields.wholeNumber('limit') ?? versionsLimit;
      if (limit < 1 || limit > versionsLimitMax)
        throw new FrameholdError('bad_request', `limit is a whole number from 1 to ${versionsLimitMax}.`, {
          hint: 'Give another limit, or leave it out.',
        });
      const page = { before: fields.wholeNumber('before') ?? null, limit, schemas: true } as const;
      const records = await frames.versions(call.caller, parseName(handleText(fields)), page, call.signal);
      const pins = await frames.pins(call.caller, records, call.signal);
      return { versions: records.map((record) => ({ ...manifestOf(record), ...shownPins(record, pins) })) };
    },
  },
  tag: {
    description:
      'Gives a version a name, or moves one: {"handle", "tag", "ifVersion"?} gives {"tag", "handle", "version", "setAt", "setBy"}. The version is kept as long as it has a tag.',
    fields: ['handle', 'name', 'tag', 'ifVersion'],
    async run(fields, { tags }, call) {
      const handle = parseVersionHandle(handleText(fields));
      const ifVersion = fields.expectedVersion('ifVersion');
      const conditions = ifVersion === undefined ? {} : { ifVersion };
      const made = await tags.set(call.caller, handle, tagText(fields), conditions, call.signal);
      return tagEntryOf(handle, made);
    },
  },
  untag: {
    description: 'Removes a tag: {"name", "tag", "ifVersion"?} gives {"removed"}.',
    fields: ['handle', 'name', 'tag', 'ifVersion'],
    async run(fields, { tags }, call) {
      const name = parseName(handleText(fields));
      const ifVersion = fields.expectedVersion('ifVersion');
      const tag = tagText(fields);
      const conditions = ifVersion === undefined ? {} : { ifVersion };
      await tags.remove(call.caller, name, tag, conditions, call.signal);
      return { removed: tag };
    },
  },
  tags: {
    description:
      'Lists the tags of a frame: {"name"} gives {"tags": [{"tag", "handle", "version", "setAt", "setBy"}]}.',
    fields: ['handle', 'name'],
    async run(fields, { tags }, call) {
      const handle = parseVersionHandle(handleText(fields));
      const found = await tags.list(call.caller, handle, call.signal);
      return { tags: found.map((tag) => tagEntryOf(handle, tag)) };
    },
  },
  notes: {
    description:
      'What people say of a frame: {"name"} gives {"description", "owner", "labels": [], "columns": {name: {"comment", "unit"}}}.',
    fields: ['handle', 'name'],
    async run(fields, { notes }, call) {
      return (await notes.read(call.caller, parseVersionHandle(handleText(fields)), call.signal)).notes;
    },
  },
  note: {
    description:
      'Changes what people say of a frame: {"name", "notes": {"description"?, "owner"?, "labels"?, "columns"?}} gives all of it. null removes a member.',
    fields: ['handle', 'name', 'notes'],
    async run(fields, { notes }, call) {
      const name = parseName(handleText(fields));
      return (await notes.change(call.caller, name, notesPatchIn(fields.value('notes')), null, call.signal))
        .notes;
    },
  },
  share: {
    description: 'Lets another tenant read a frame: {"name", "tenant"} gives {"shares": [tenants]}.',
    fields: ['handle', 'name', 'tenant'],
    async run(fields, { sharing }, call) {
      const name = parseName(handleText(fields));
      return { shares: await sharing.share(call.caller, name, tenantText(fields), call.signal) };
    },
  },
  unshare: {
    description: 'Ends what share began: {"name", "tenant"} gives {"shares": [tenants]}.',
    fields: ['handle', 'name', 'tenant'],
    async run(fields, { sharing }, call) {
      const name = parseName(handleText(fields));
      return { shares: await sharing.unshare(call.caller, name, tenantText(fields), call.signal) };
    },
  },
  shares: {
    description: 'Lists the tenants that may read a frame: {"name"} gives {"shares": [tenants]}.',
    fields: ['handle', 'name'],
    async run(fields, { sharing }, call) {
      return { shares: await sharing.shares(call.caller, parseName(handleText(fields)), call.signal) };
    },
  },
  shared: {
    description:
      'Lists what other tenants share with the caller: {"after"?: "tenant:name", "limit"?} gives {"frames": [manifests]}.',
    fields: ['after', 'limit'],
    async run(fields, { sharing }, call) {
      const after = afterShared(fields.text('after'), call);
      const page = { after, limit: fields.wholeNumber('limit') ?? versionsLimit };
      if (page.limit < 1 || page.limit > versionsLimitMax)
        throw new FrameholdError('bad_request', `limit is a whole number from 1 to ${versionsLimitMax}.`, {
          hint: 'Give another limit, or leave it out.',
        });
      return {
        frames: (await sharing.sharedWithMe(call.caller, { ...page, schemas: true }, call.signal)).map(
          manifestOf,
        ),
      };
    },
  },
  link: {
    description:
      'Makes a link that reads one version for a while: {"handle", "ttl"} gives {"link", "id", "handle", "expiresAt"}.',
    fields: ['handle', 'name', 'ttl'],
    async run(fields, { sharing }, call) {
      const ttlMs = fields.ttlMs('ttl') ?? linkTtlMs;
      const made = await sharing.link(
        call.caller,
        parseVersionHandle(handleText(fields)),
        ttlMs,
        call.signal,
      );
      const expiresAt = new Date(made.expiresAt).toISOString();
      return { link: made.link, id: made.id, handle: handleTextOf(made.record), expiresAt };
    },
  },
  links: {
    description:
      'Lists the links to a frame that are in force: {"name"} gives {"links": [{"id", "handle", "createdAt", "createdBy", "expiresAt"}]}.',
    fields: ['handle', 'name'],
    async run(fields, { sharing }, call) {
      const links = await sharing.links(call.caller, parseName(handleText(fields)), call.signal);
      return { links: links.map(linkEntryOf) };
    },
  },
  unlink: {
    description: 'Revokes a link: {"name", "id"} gives {"revoked"}.',
    fields: ['handle', 'name', 'id'],
    async run(fields, { sharing }, call) {
      const id = fields.text('id');
      if (id === undefined)
        throw new FrameholdError('bad_request', 'The action names no link.', {
          hint: 'Give "id": the one that the action links lists.',
        });
      await sharing.unlink(call.caller, parseName(handleText(fields)), id, call.signal);
      return { revoked: id };
    },
  },
};

function afterShared(text: string | undefined, { caller }: Call): SharedPage['after'] {
  if (text === undefined) return null;
  const { tenant = caller.tenant, name } = parseHandle(text);
  return { tenant, name };
}

function tagText(fields: JsonFields): string {
  const tag = fields.text('tag');
  if (tag !== undefined) return parseTag(tag);
  throw new FrameholdError('bad_request', 'The action names no tag.', {
    hint: 'Give "tag": a letter, then letters, digits, _ and -.',
  });
}

function tenantText(fields: JsonFields): string {
  const tenant = fields.text('tenant');
  if (tenant !== undefined) return tenant;
  throw new FrameholdError('bad_request', 'The action names no tenant.', {
    hint: 'Give "tenant": the one that is to read the frame.',
  });
}

export function doAction(core: ActionDependencies, sql: FlightSql): Method {
  return streamingMethod(FlightService.method.doAction, async function* ({ type, body }, call) {
    const sqlAction = Object.hasOwn(sqlActions, type) ? sqlActions[type] : undefined;
    if (sqlAction !== undefined) {
      const result = await sql.act(sqlAction, body, call);
      if (result !== null) yield { body: result };
      return;
    }
    const action = Object.hasOwn(actions, type) ? actions[type] : undefined;
    if (action === undefined) {
      throw new FrameholdError('unimplemented', 'There is no such action.', {
        hint: `The actions are ${[...Object.keys(actions), ...Object.keys(sqlActions)].join(', ')}.`,
      });
    }
    refuseConditions(call, 'Some actions have ifVersion and idempotencyKey in their body.');
    const fields = new JsonFields('The action', body, action.fields);
    yield { body: Buffer.from(JSON.stringify(await action.run(fields, core, call))) };
  });
}

export function listActions(access: AccessGuard): Method {
  return streamingMethod(FlightService.method.listActions, async function* (_request, call) {
    access.check(call.caller, 'server.describe');
    for (const [type, { description }] of Object.entries({ ...actions, ...sqlActions }))
      yield { type, description };
  });
}

/** `handle` and `name` say the same; both at once would leave open which one counts. */
function handleText(fields: JsonFields): string {
  const handle = fields.text('handle');
  const name = fields.text('name');
  const text = handle ?? name;
  if (text !== undefined && (handle === undefined || name === undefined)) return text;
  throw new FrameholdError('bad_request', 'The action names no frame, or two.', {
    hint: 'Give one of "handle" and "name".',
  });
}
