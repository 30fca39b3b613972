import { ownText } from '../../base/own-text.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Isolation } from '../text/command.ts';
import { type SettingRule, settingRules } from './setting-table.ts';

/** A program sets some; each is text of the caller that is kept. */
const ownSettingsMax = 100;
/** PostgreSQL's longest values are lists of schemas. */
const valueCharactersMax = 1_000;

/** What a client is told. */
export interface ReportedSetting {
  readonly name: string;
  readonly value: string;
}

type Values = Map<string, string>;

/** The settings of a session. They are part of the transaction: ROLLBACK undoes them. */
export class SessionSettings {
  /** By name in lower case. */
  #values: Values;
  /** What RESET goes back to: as the client has begun. */
  readonly #initial: ReadonlyMap<string, string>;
  /** Before the transaction; null: there is none. */
  #before: Values | null = null;
  /** Of SET LOCAL: the values that come back with COMMIT. */
  readonly #outer: Values = new Map();
  /** Asked for with every statement; null: something has changed since. */
  #named: ReadonlyMap<string, string> | null = null;

  /** `own`: fixed values of this session. Throws for a parameter that cannot be had. */
  constructor(given: ReadonlyMap<string, string>, own: Readonly<Record<string, string>>) {
    this.#values = new Map([...settingRules].map(([name, { initial }]) => [name, initial]));
    for (const [name, value] of Object.entries(own)) this.#values.set(name, value);
    this.#initial = this.#values;
    for (const [name, value] of given) this.set(name, value, false);
    this.#initial = new Map(this.#values);
  }

  /** As PostgreSQL writes the names. */
  get named(): ReadonlyMap<string, string> {
    this.#named ??= new Map(
      [...this.#values.keys()].map((name) => [settingRules.get(name)?.name ?? name, this.shown(name)]),
    );
    return this.#named;
  }

  get reported(): readonly ReportedSetting[] {
    return [...settingRules]
      .filter(([, { isReported }]) => isReported === true)
      .map(([key, { name }]) => ({ name, value: this.get(key) }));
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  /** Throws 42704. */
  get(name: string): string {
    const value = this.#values.get(name.toLowerCase());
    if (value === undefined) throw unknownSetting(name);
    return value;
  }

  /** As SHOW writes it: a time with its unit. */
  shown(name: string): string {
    const value = this.get(name);
    return settingRules.get(name.toLowerCase())?.show?.(value) ?? value;
  }

  isolation(name: 'default_transaction_isolation' | 'transaction_isolation'): Isolation {
    return this.get(name) as Isolation;
  }

  ms(name: string): number {
    return Number(this.get(name));
  }

  /** null: the value of the beginning. What must be reported is answered. */
  set(given: string, value: string | null, isLocal: boolean): readonly ReportedSetting[] {
    const name = given.toLowerCase();
    const rule = settingRules.get(name);
    if (rule === undefined && !name.includes('.')) throw unknownSetting(given);
    if (rule === undefined && !this.#values.has(name)) this.#checkCount();
    const before = this.#values.get(name);
    const wanted = value ?? this.#initial.get(name) ?? '';
    const kept = this.#read(rule, name, wanted);
    if (isLocal && this.#before !== null && !this.#outer.has(name)) this.#outer.set(name, before ?? '');
    if (!isLocal) this.#outer.delete(name);
    this.#values.set(ownText(name), ownText(kept));
    this.#named = null;
    return rule?.isReported === true && before !== kept ? [{ name: rule.name, value: kept }] : [];
  }

  /** RESET ALL, DISCARD ALL. */
  reset(): readonly ReportedSetting[] {
    return this.#use(new Map(this.#initial));
  }

  begin(): void {
    this.#before = new Map(this.#values);
    this.#outer.clear();
  }

  /** The transaction has ended. */
  end(isCommitted: boolean): readonly ReportedSetting[] {
    const before = this.#before;
    this.#before = null;
    const outer = [...this.#outer];
    this.#outer.clear();
    if (!isCommitted) return before === null ? [] : this.#use(before);
    return this.#use(new Map([...this.#values, ...outer]));
  }

  /** Of the transaction that runs, for SHOW; nothing is reported. */
  show(name: 'transaction_isolation' | 'transaction_read_only', value: string): void {
    this.#values.set(name, value);
    this.#named = null;
  }

  #read(rule: SettingRule | undefined, name: string, value: string): string {
    if (value.length > valueCharactersMax) throw invalidValue(name, value);
    if (rule?.isFixed === true) {
      if (this.#values.get(name) === value) return value;
      throw new FrameholdError('bad_request', `The parameter ${name} cannot be changed.`, {
        sqlState: '55P02',
        hint: 'Leave it out.',
      });
    }
    const kept = rule?.read === undefined ? value : rule.read(value);
    if (kept === null) throw invalidValue(name, value);
    return kept;
  }

  #use(values: Values): readonly ReportedSetting[] {
    const before = this.#values;
    this.#values = values;
    this.#named = null;
    return this.reported.filter(({ name, value }) => before.get(name.toLowerCase()) !== value);
  }

  #checkCount(): void {
    if (this.#values.size < settingRules.size + ownSettingsMax) return;
    throw new FrameholdError('bad_request', `A session has at most ${ownSettingsMax} settings of its own.`, {
      sqlState: '53400',
      hint: 'RESET ALL forgets them.',
    });
  }
}

function unknownSetting(name: string): FrameholdError {
  return new FrameholdError('bad_request', `There is no parameter ${JSON.stringify(name.slice(0, 100))}.`, {
    sqlState: '42704',
    hint: 'SHOW ALL lists those that there are.',
  });
}

function invalidValue(name: string, value: string): FrameholdError {
  return new FrameholdError(
    'bad_request',
    `The parameter ${name} cannot be ${JSON.stringify(value.slice(0, 100))} on this server.`,
    { sqlState: '22023', hint: 'docs/reference/postgres.md lists the values that are possible.' },
  );
}
