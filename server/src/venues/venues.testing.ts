/** For tests: one declared exchange, its secrets, and an adapter that is down when told. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manualClock } from '../core/clock.ts'
import { decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import { testDatabase } from '../store/testing.ts'
import type { HearNews, Venue } from './contract.ts'
import { putVenues } from './declaration.ts'
import type { DeclaredVenue } from './declaration.schema.ts'
import { HELD_LEASE } from './lease/lease.testing.ts'
import { openVenues } from './registry.ts'
import { snapshotTask } from './snapshots.ts'
import { venuesEndpoints } from './venues.http.ts'

export const SECRET = 'the-secret-itself'

export const total = (
  asset: string,
  wallet: string | null,
  quantity: string | null,
  protocol: string | null = asset,
) => ({
  wallet,
  asset,
  protocol,
  free: quantity === null ? null : decimal(quantity),
  used: 0n,
  total: quantity === null ? null : decimal(quantity),
})

/** An adapter that answers as it is told, and remembers what it was opened with and closed. */
function fakeExchange() {
  const fake = {
    down: false,
    holdings: [total('BTC', null, '5')],
    opened: [] as Record<string, string>[],
    closed: [] as string[],
    /** Who listens to it. */
    hearers: [] as HearNews[],
  }
  function adapter(config: Record<string, string>): Venue {
    fake.opened.push(config)
    const answer = <T>(value: T) =>
      fake.down ? Promise.reject(new ApiError('VenueUnreachable', 'down')) : Promise.resolve(value)
    return {
      kind: 'EXCHANGE',
      balances: () => answer(fake.holdings),
      protocols: () =>
        answer([
          {
            asset: 'BTC',
            protocols: [
              {
                protocol: 'BTC',
                native: 'XXBT',
                decimals: 8,
                tag_required: false,
                min_withdrawal: decimal('0.0005'),
                max_withdrawal: null,
                deposit: true,
                withdraw: true,
              },
            ],
          },
        ]),
      news_every_ms: 7_000,
      listen(hear) {
        fake.hearers.push(hear)
        return () => undefined
      },
      close: async () => {
        fake.closed.push(config['exchange'] ?? '')
      },
    }
  }
  return { fake, adapter }
}

const declaredExchange = (file: string): DeclaredVenue => ({
  key: 'exchange',
  label: 'Exchange',
  kind: 'EXCHANGE',
  options: { exchange: 'kraken' },
  secrets: {
    api_key: { env: 'VENUES_TEST_KEY' },
    api_secret: { file, field: 'api_secret' },
  },
})

export type TestVenues = Awaited<ReturnType<typeof openTestVenues>>

export async function openTestVenues() {
  const clock = manualClock(1_800_000_000_000)
  const workspace = newId<WorkspaceId>()
  const { fake, adapter } = fakeExchange()
  const database = await testDatabase()
  const { db } = database
  const dir = await mkdtemp(join(tmpdir(), 'venues-'))
  const declared = declaredExchange(join(dir, 'keys.json'))
  const writeKeys = (text: string) => writeFile(join(dir, 'keys.json'), text)
  const venues = openVenues({
    db,
    log: { error() {} },
    lease: HELD_LEASE,
    adapters: { EXCHANGE: async (config) => adapter(config) },
  })
  const api = await testServer({
    db,
    clock,
    endpoints: venuesEndpoints({ db, clock, venues }),
    authenticate: () => ({
      workspace,
      user_id: newId(),
      session_id: workspace,
      permissions: new Set(['venues.read']),
    }),
  })
  const put = (...list: Parameters<typeof putVenues>[3][number][]) =>
    db.tx((tx) => putVenues(workerCaller(workspace, 'test'), tx, clock, list))
  const snapshot = () =>
    snapshotTask({ db, clock, venues })({
      workspace,
      kind: 'snapshot_venue',
      subject_id: id,
      attempts: 1,
    })
  const state = async () => {
    const [venue] = await venues.list(workspace)
    return [venue?.state, ...(venue?.services ?? []).map((service) => service.state)]
  }
  const id = (await put(declared)).get('exchange')?.id ?? ''
  return {
    db,
    clock,
    workspace,
    venues,
    api,
    declared,
    id,
    fake,
    put,
    snapshot,
    state,
    writeKeys,
    async provideSecrets(): Promise<void> {
      process.env['VENUES_TEST_KEY'] = 'key'
      await writeKeys(JSON.stringify({ api_secret: SECRET }))
    },
    async close(): Promise<void> {
      delete process.env['VENUES_TEST_KEY']
      await api.close()
      await venues.close()
      await database.drop()
      await rm(dir, { recursive: true })
    },
  }
}
