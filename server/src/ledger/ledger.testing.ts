/** For tests: the ledger over HTTP, with the books of a house and of Alice, and EUR in cents. */
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import { testDatabase } from '../store/testing.ts'
import { putAsset } from './assets.ts'
import { openTestBooks } from './lane/books.testing.ts'
import { openLane } from './lane/lane.ts'
import { ledgerEndpoints } from './ledger.http.ts'
import type { OpenPeriod } from './manual-bookings.ts'

export const OPENED_AT = 1_800_000_000_000

export type TestLedger = Awaited<ReturnType<typeof openTestLedger>>

export async function openTestLedger(
  openPeriod: () => Promise<OpenPeriod> = async () => ({ from: null, to: null }),
) {
  const clock = manualClock(OPENED_AT)
  const workspace = newId<WorkspaceId>()
  const principal = {
    workspace,
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['accounts.read', 'accounts.write', 'bookings.read', 'bookings.create']),
  }
  const database = await testDatabase()
  const { db } = database
  const lane = openLane(db, clock)
  const books = await openTestBooks(db, clock, workspace)
  await putAsset(db, workspace, {
    code: 'EUR',
    label: 'Euro',
    kind: 'FIAT',
    scale: 2,
    circulating_supply: null,
  })
  const api = await testServer({
    db,
    clock,
    authenticate: () => principal,
    endpoints: ledgerEndpoints({ db, clock, lane, openPeriod }),
  })
  return {
    db,
    clock,
    workspace,
    lane,
    api,
    house: books.house,
    alice: books.customer,
    async close(): Promise<void> {
      await api.close()
      await lane.close()
      await database.drop()
    },
  }
}
