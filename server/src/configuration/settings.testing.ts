/** For tests: settings over HTTP and a configuration file, without venues that answer. */
import { brandEndpoints, createWorkspace } from '../access/index.ts'
import { manualClock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { newId } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { openBooks, openLane } from '../ledger/index.ts'
import { testHistory } from '../store/history.testing.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { openVenues } from '../venues/index.ts'
import { HELD_LEASE } from '../venues/lease/lease.testing.ts'
import { applyConfig, settingsDeskFeed, settingsEndpoints } from './index.ts'
import type { KeyHolder } from './key-demands.ts'
import type { Config, SettingDrift } from './index.ts'

/** A bank that is declared, and never opened. */
export const BANK = {
  key: 'bank',
  label: 'House bank',
  kind: 'BANK',
  options: {
    outbox_dir: '/nowhere',
    inbox_dir: '/nowhere',
    name: 'Kontor',
    currency: 'EUR',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
  },
} as const

/** By which permission each setting is changed. */
export const WRITES = {
  margins: 'settings.margins.write',
  default_risk: 'settings.trading.write',
  slippage: 'settings.trading.write',
  second_factor_roles: 'settings.sign-in.write',
  passwords: 'settings.sign-in.write',
  reference_deviation: 'settings.trading.write',
  fee_borne_by: 'settings.treasury.write',
  job_fee_share: 'settings.treasury.write',
  compliance: 'settings.compliance.write',
  screening: 'settings.compliance.write',
  travel_rule: 'settings.compliance.write',
  personal_data_kept_days: 'settings.compliance.write',
  open_period_from: 'settings.period.write',
  general_ledger: 'settings.period.write',
  brand: 'settings.brand.write',
  mail_wait_minutes: 'settings.mails.write',
  mail_language: 'settings.mails.write',
  mail_time_zone: 'settings.mails.write',
  mail_templates: 'settings.mails.write',
  'calendar.bank': 'settings.calendars.write',
}

export class SettingsWorld {
  readonly clock = manualClock(1_800_000_000_000)
  readonly #principals = new Map<string, Principal>()
  readonly #parts: Awaited<ReturnType<typeof openParts>>

  constructor(parts: Awaited<ReturnType<typeof openParts>>) {
    this.#parts = parts
  }

  static async open(): Promise<SettingsWorld> {
    return new SettingsWorld(await openParts())
  }

  get db() {
    return this.#parts.db
  }

  async newWorkspace(name: string): Promise<WorkspaceId> {
    return this.db.tx(async (tx) => {
      const { id } = await createWorkspace(tx, this.clock, { name })
      await openBooks({ workspace: id, by: 'test' }, { tx, clock: this.clock })
      return id
    })
  }

  /** Another process: what it knows, it reads. */
  async serve(): Promise<TestServer> {
    const { db, clock } = this
    return testServer({
      db,
      clock,
      endpoints: [...settingsEndpoints({ db, clock }), ...brandEndpoints({ db })],
      authenticate: (token) => mustExist(this.#principals.get(token ?? ''), 'the test made it'),
    })
  }

  /** A token of somebody with these permissions. */
  caller(workspace: WorkspaceId, ...permissions: string[]): string {
    const token = newId()
    const principal = {
      workspace,
      user_id: newId<UserId>(),
      session_id: newId(),
      permissions: new Set(permissions),
    }
    this.#principals.set(`Bearer ${token}`, principal)
    return token
  }

  apply(
    workspace: WorkspaceId,
    config: Partial<Config>,
    { access, ...options }: { overwrite?: boolean } & KeyHolder = {},
  ): Promise<SettingDrift[]> {
    const { db, lane, venues, history } = this.#parts
    const parts = { db, clock: this.clock, lane, venues, history, workspace_tasks: [] }
    const app = access === undefined ? parts : { ...parts, access }
    return applyConfig(app, workspace, { version: 1, ...config }, options)
  }

  /** The calendar options that the adapter of the bank is opened with. */
  async optionsOfBank(workspace: WorkspaceId): Promise<Record<string, string>> {
    const [row] = await this.db.query<{ options: Record<string, string> }>(sql`
      select config -> 'options' as options
      from venues
      where workspace = ${workspace}`)
    return mustExist(row, 'the file declares it').options
  }

  /** How many settings the overview says somebody has to decide on. */
  async needs(workspace: WorkspaceId): Promise<number> {
    const [need] = settingsDeskFeed.needs
    const now = this.clock.now()
    const counts = await this.db.query<{ count: number }>(
      mustExist(need, 'a drift needs somebody').select(workspace, now),
    )
    return mustExist(counts[0], 'a count has a row').count
  }

  async close(): Promise<void> {
    await this.#parts.lane.close()
    await this.#parts.venues.close()
    await this.#parts.drop()
  }
}

async function openParts() {
  const { db, drop } = await testDatabase()
  const clock = manualClock(1_800_000_000_000)
  const log = { error: () => undefined }
  return {
    db,
    drop,
    lane: openLane(db, clock),
    venues: openVenues({ db, log, lease: HELD_LEASE, adapters: {} }),
    history: testHistory(db, clock),
  }
}
