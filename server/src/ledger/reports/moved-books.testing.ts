/**
 * Books with random bookings between four accounts, and what a naive fold says of them. KONTOR_SEED
 * repeats a run.
 */
import { manualClock } from '../../core/clock.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { Db } from '../../store/db.ts'
import { testDatabase } from '../../store/testing.ts'
import {
  houseAccounts,
  openAccount,
  openBooks,
  openVenueAccounts,
  venueAccounts,
} from '../accounts/accounts.ts'
import { putAsset } from '../assets.ts'
import { openLane } from '../lane/lane.ts'
import type { Lane } from '../lane/lane.ts'
import { ledgerEndpoints } from '../ledger.http.ts'
import type { LegType } from '../ledger.schema.ts'
import { markBooks } from './marks.ts'

export const START = 1_800_000_000_000
export const BOOKINGS = 120
export const MARK_EVERY = 7

const SCALES = { EUR: 2, BTC: 8, XRP: 6, ETH: 8 }

/** One booking. `twice`: two legs debit the same account. */
type Movement = {
  at: number
  asset: string
  debit: number
  credit: number
  quantity: Decimal
  twice: boolean
}

type TestAccount = { id: AccountId; debit_normal: boolean; type: string }

export type MovedBooks = Awaited<ReturnType<typeof openMovedBooks>>

export async function openMovedBooks() {
  const seed = Number(process.env['KONTOR_SEED'] ?? Math.floor(Math.random() * 1_000_000))
  const clock = manualClock(START)
  const workspace = newId<WorkspaceId>()
  const database = await testDatabase()
  const { db } = database
  const lane = openLane(db, clock)
  const accounts = await openAccounts(db, clock, workspace)
  const movements = await moveRandomly({ db, clock, lane, workspace, accounts, seed })
  await clock.advance(10)
  const openPeriod = async () => ({ from: null, to: null })
  const api = await testServer({
    db,
    clock,
    authenticate: () => ({
      workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: new Set(['accounts.read', 'bookings.read']),
    }),
    endpoints: ledgerEndpoints({ db, clock, lane, openPeriod }),
  })
  const [house, , alice] = accounts.map(({ id }) => id)
  return {
    seed,
    clock,
    workspace,
    db,
    lane,
    accounts,
    house: house ?? '',
    alice: alice ?? '',
    movements,
    api,
    heldBefore: (account: number, at: number, asset: string) =>
      heldBefore(movements, { index: account, ...accounts[account] }, at, asset),
    assetsBefore: (at: number, account: number) => assetsBefore(movements, at, account),
    close: async () => {
      await api.close()
      await lane.close()
      await database.drop()
    },
  }
}

type TestClock = ReturnType<typeof manualClock>

/** The house, a venue, Alice and Bob. */
async function openAccounts(
  db: Db,
  clock: TestClock,
  workspace: WorkspaceId,
): Promise<TestAccount[]> {
  const author = { workspace, by: 'test' }
  await db.tx((tx) => openBooks(author, { tx, clock }))
  for (const [code, scale] of Object.entries(SCALES))
    await putAsset(db, workspace, {
      code,
      label: code,
      kind: 'CRYPTO',
      scale,
      circulating_supply: null,
    })
  const house = (await houseAccounts(db, workspace)).HOUSE
  const venue_id = newId()
  await db.tx((tx) => openVenueAccounts(author, { tx, clock }, { id: venue_id, label: 'Venue' }))
  const venue = (await venueAccounts(db, workspace, venue_id)).VENUE
  const customers = await Promise.all(
    ['Alice', 'Bob'].map((label) =>
      db.tx((tx) =>
        openAccount(
          author,
          { tx, clock },
          { type: 'CUSTOMER', label, customer_id: newId(), overdraft: true },
        ),
      ),
    ),
  )
  return [
    { id: house, debit_normal: false, type: 'HOUSE' },
    { id: venue, debit_normal: true, type: 'VENUE' },
    ...customers.map(({ id }) => ({ id, debit_normal: false, type: 'CUSTOMER' })),
  ]
}

type Run = {
  db: Db
  clock: TestClock
  lane: Lane
  workspace: WorkspaceId
  accounts: readonly TestAccount[]
  seed: number
}

async function moveRandomly(run: Run): Promise<Movement[]> {
  const { db, clock } = run
  let state = run.seed
  const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const movements: Movement[] = []
  for (let count = 0; count < BOOKINGS; count += 1) {
    if (next(3) > 0) await clock.advance(1 + next(50))
    const debit = next(4)
    // XRP moves once, early: a rare asset of a busy account.
    const often = () => (next(3) === 0 ? 'BTC' : 'EUR')
    const movement: Movement = {
      at: clock.now(),
      asset: count === 3 ? 'XRP' : often(),
      debit,
      credit: (debit + 1 + next(3)) % 4,
      quantity: BigInt(1 + next(9999)) * 10n ** 16n,
      twice: next(5) === 0,
    }
    await book(run, movement)
    movements.push(movement)
    if (next(10) === 0) await markBooks({ db, clock }, MARK_EVERY)
  }
  return movements
}

async function book({ lane, workspace, accounts }: Run, movement: Movement): Promise<void> {
  const { asset, debit, credit, quantity, twice } = movement
  const leg = (account: number, type: LegType, part: Decimal) => ({
    account_id: accounts[account]?.id ?? '',
    type,
    quantity: part,
  })
  const part = quantity / 4n
  const debits = twice
    ? [leg(debit, 'DEBIT', part), leg(debit, 'DEBIT', quantity - part)]
    : [leg(debit, 'DEBIT', quantity)]
  const legs = [...debits, leg(credit, 'CREDIT', quantity)]
  await lane.commit({
    workspace,
    class: 'fact',
    by: 'test',
    ledger: [{ step: 'book', booking: { id: newId(), type: 'MANUAL', asset, legs } }],
  })
}

const touches = ({ debit, credit }: Movement, account: number): boolean =>
  debit === account || credit === account

/** What the fold says an account held before `at`. */
function heldBefore(
  movements: readonly Movement[],
  { index, debit_normal }: { index: number; debit_normal?: boolean },
  at: number,
  asset: string,
): Decimal {
  return movements
    .filter((movement) => movement.at < at && movement.asset === asset && touches(movement, index))
    .reduce((total, { debit, quantity }) => {
      const raises = (debit_normal === true) === (debit === index)
      return total + (raises ? quantity : -quantity)
    }, 0n)
}

function assetsBefore(movements: readonly Movement[], at: number, account: number): string[] {
  return ['BTC', 'EUR', 'XRP'].filter((asset) =>
    movements.some(
      (movement) => movement.at < at && movement.asset === asset && touches(movement, account),
    ),
  )
}
