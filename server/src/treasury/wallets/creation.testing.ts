/** For tests: two venues that make wallets as the test says, and the task that requests one. */
import assert from 'node:assert/strict'
import { sql } from '../../store/sql.ts'
import { venuesTasks } from '../../venues/index.ts'
import type { WalletOrder, WalletReport } from '../../venues/index.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'
import { BTC_ADDRESS } from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import { createWalletTask } from './creation.ts'
import { walletByVenueLocator } from './rows.ts'
import type { VenueLocator } from './rows.ts'
import type { Wallet } from './wallets.schema.ts'
import { openWalletsApi } from './wallets.testing.ts'

/**
 * What the venue does with the next request. `late`: it makes the wallet, the answer is lost.
 * `lost`: the request never arrives.
 */
type Mode = 'accept' | 'working' | 'refuse' | 'late' | 'lost'

function creationModel() {
  const model = {
    mode: 'accept' as Mode,
    down: false,
    asked: [] as WalletOrder[],
    made: new Map<string, WalletReport>(),
    next: { address: BTC_ADDRESS, tag: null as string | null },
    async create(order: WalletOrder) {
      model.asked.push(order)
      if (model.mode === 'refuse')
        return { outcome: 'refused' as const, reason: 'not for you', native: 'NO' }
      if (model.mode === 'lost') return { outcome: 'unknown' as const, reason: 'time-out' }
      const report: WalletReport =
        model.mode === 'working'
          ? { state: 'CREATING' }
          : { state: 'ACTIVE', wallet: order.vault_id ?? `w${model.asked.length}`, ...model.next }
      model.made.set(order.external_id, report)
      return model.mode === 'late'
        ? { outcome: 'unknown' as const, reason: 'time-out' }
        : { outcome: 'accepted' as const, report }
    },
    async find(order: WalletOrder) {
      if (model.down) return { lookup: 'unknown' as const, reason: 'down' }
      const report = model.made.get(order.external_id)
      return report === undefined
        ? { lookup: 'absent' as const }
        : { lookup: 'found' as const, report }
    },
  }
  return model
}

type CreationModel = ReturnType<typeof creationModel>

export async function openCreation() {
  const place = await openWalletsApi()
  const { api, atVenue, db, workspace } = place
  const models = { vault: creationModel(), custodian: creationModel() }
  const managed = await place.addVenue('managed', 'MANAGED_WALLET')
  place.vault.wallets = models.vault
  managed.wallets = models.custodian
  await readProtocols(place, [place.vault, managed])
  let addresses = 0
  return {
    place,
    api,
    createWallet: place.createWallet,
    managed,
    ...models,
    /** Both venues make what is requested. */
    reset(): void {
      for (const model of Object.values(models))
        Object.assign(model, {
          mode: 'accept',
          down: false,
          next: { address: BTC_ADDRESS, tag: null },
        })
    },
    /** The venue makes another address each time; these need not be valid here. */
    useNewAddress(model: CreationModel): void {
      addresses += 1
      model.next = { address: `bc1new${addresses}`, tag: null }
    },
    draft: (venue: FakeVenue, configuration: object, more: object = {}) =>
      atVenue(venue, {
        asset: 'BTC',
        address: '',
        label: 'New',
        configuration: { create_external_wallet: true, ...configuration },
        ...more,
      }),
    work: (wallet: Wallet) =>
      createWalletTask(place.app)({
        workspace,
        kind: 'create_wallet',
        subject_id: wallet.id,
        attempts: 1,
      }),
    async locate(
      { id }: FakeVenue,
      locator: Partial<VenueLocator> & Pick<VenueLocator, 'wallet' | 'asset' | 'protocol'>,
    ) {
      const complete = { address: null, tag: null, ...locator }
      return (await walletByVenueLocator(db, { workspace, id }, complete))?.id
    },
    async read(wallet: Wallet): Promise<Wallet> {
      const [found] = (await api.call<Wallet[]>('GET', `/treasury/wallets/${wallet.id}`)).data
      assert.ok(found !== undefined)
      return found
    },
    async events(wallet: Wallet): Promise<string[]> {
      const rows = await db.query<{ type: string }>(sql`
        select type
        from events
        where workspace = ${workspace}
          and resource_id = ${wallet.id}
        order by sequence`)
      return rows.map((row) => row.type)
    },
    /** What was requested for it. */
    requests: (model: CreationModel, wallet: Wallet) =>
      model.asked.filter((walletOrder) => walletOrder.external_id === wallet.id),
  }
}

/** As the task that snapshots a venue does: wallets are made on protocols that it has. */
async function readProtocols({ app, workspace }: Workplace, venues: FakeVenue[]): Promise<void> {
  const snapshot = venuesTasks({ ...app, log: { error() {} } } as unknown as Parameters<
    typeof venuesTasks
  >[0])['snapshot_venue']
  for (const venue of venues)
    await snapshot?.({ workspace, kind: 'snapshot_venue', subject_id: venue.id, attempts: 1 })
}
