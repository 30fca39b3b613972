import type { NewTenantLimits, Tenant, TenantLimits } from '@framehold/client';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote, isAbort } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { bytesText, countText } from '../../ui/format.ts';
import { Loading } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.tsx';

const pageMax = 100;

/** For an operator: all tenants with what they use, and their limits. */
export function Tenants() {
  const [tenants, setTenants] = useState<readonly Tenant[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [edited, setEdited] = useState<Tenant | null>(null);
  const load = async (cursor: string | null, signal?: AbortSignal) => {
    try {
      const page = await api.tenants.list({
        limit: pageMax,
        ...(cursor === null ? {} : { cursor }),
        ...(signal === undefined ? {} : { signal }),
      });
      setTenants((before) => (cursor === null ? page.tenants : [...(before ?? []), ...page.tenants]));
      setNext(page.next);
      setError(null);
    } catch (thrown) {
      if (!isAbort(thrown)) setError(thrown);
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    void load(null, controller.signal);
    return () => controller.abort();
  }, []);
  return (
    <section>
      <h2>Tenants</h2>
      {error !== null && <ErrorNote error={error} />}
      {tenants === null && error === null && <Loading label="Loading tenants" />}
      {tenants !== null && (
        <div class="status-scroll card">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Tenant</th>
                {['Frames', 'Bytes', 'Requests', 'Refused', 'Statements', 'Streams'].map((label) => (
                  <th key={label} scope="col" class="numeric">
                    {label}
                  </th>
                ))}
                <th scope="col">Limits of its own</th>
                <th scope="col">
                  <span class="unseen">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tenants.map((tenant) => (
                <tr key={tenant.tenant}>
                  <td class="status-tenant">{tenant.tenant}</td>
                  <td class="numeric">{countText(tenant.frames)}</td>
                  <td class="numeric" title={`${countText(tenant.bytes)} bytes`}>
                    {bytesText(tenant.bytes)}
                  </td>
                  <td class="numeric">{countText(tenant.requests)}</td>
                  <td class="numeric">{countText(tenant.requestsRefused)}</td>
                  <td class="numeric">{countText(tenant.queries)}</td>
                  <td class="numeric">{countText(tenant.streams)}</td>
                  <td class="muted">{ownLimits(tenant)}</td>
                  <td class="numeric">
                    <Button onClick={() => setEdited(tenant)} aria-label={`Limits of ${tenant.tenant}`}>
                      Limits
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next !== null && <Button onClick={() => void load(next)}>More tenants</Button>}
      {edited !== null && (
        <LimitsDialog
          tenant={edited}
          onClose={() => setEdited(null)}
          onChange={(changed) => {
            setTenants((before) =>
              (before ?? []).map((each) => (each.tenant === changed.tenant ? changed : each)),
            );
            setEdited(null);
          }}
        />
      )}
    </section>
  );
}

const limitNames: readonly { readonly name: keyof TenantLimits; readonly label: string }[] = [
  { name: 'bytesMax', label: 'Bytes' },
  { name: 'framesMax', label: 'Frames' },
  { name: 'queriesMax', label: 'Statements at once' },
  { name: 'streamsMax', label: 'Puts and reads at once' },
  { name: 'requestsPerSecond', label: 'Requests per second' },
  { name: 'requestsBurst', label: 'Requests in a burst' },
];

function ownLimits({ limitsSet }: Tenant): string {
  const set = limitNames.filter(({ name }) => limitsSet[name] != null);
  if (set.length === 0) return 'none';
  return set
    .map(({ name, label }) => {
      const value = limitsSet[name] ?? 0;
      return `${label}: ${name === 'bytesMax' ? bytesText(value) : countText(value)}`;
    })
    .join(', ');
}

function LimitsDialog({
  tenant,
  onClose,
  onChange,
}: {
  readonly tenant: Tenant;
  readonly onClose: () => void;
  readonly onChange: (tenant: Tenant) => void;
}) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(limitNames.map(({ name }) => [name, String(tenant.limitsSet[name] ?? '')])),
  );
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    const limits = Object.fromEntries(
      limitNames.map(({ name }) => [name, texts[name]?.trim() ? texts[name].trim() : null]),
    ) as NewTenantLimits;
    try {
      onChange(await api.tenants.setLimits(tenant.tenant, limits));
      toast({ kind: 'ok', text: `The limits of ${tenant.tenant} are in force.` });
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog
      title={`Limits of ${tenant.tenant}`}
      size="small"
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Set limits
          </Button>
        </>
      }
    >
      <div class="status-limit-fields">
        {limitNames.map(({ name, label }) => (
          <TextField
            key={name}
            label={label}
            value={texts[name] ?? ''}
            placeholder={`as the server: ${tenant.limitsSet[name] == null ? (tenant.limits[name] ?? 'none') : 'its own setting'}`}
            onText={(text) => setTexts({ ...texts, [name]: text })}
          />
        ))}
        {error !== null && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}
