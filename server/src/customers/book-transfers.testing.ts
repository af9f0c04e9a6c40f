/** For tests: customers of two workspaces, what the books say, and the task of transfers. */
import { createWorkspace } from '../access/index.ts'
import { manualClock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { format } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { Answer } from '../http/testing.ts'
import {
  balancesOf,
  bookingsOf,
  freezeAccount,
  houseAccounts,
  openBooks,
  openLane,
  putAsset,
  putHalt,
  verifyBooks,
} from '../ledger/index.ts'
import { bookingChange } from '../ledger/lane/books.testing.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { deleteCustomer } from './customers.ts'
import { bookTransfersEndpoints, createCustomer, customersDeskFeed } from './index.ts'
import type { Customer } from './index.ts'
import { BOOK_TRANSFER_TASK, bookTransferTask } from './book-transfer-task.ts'
import type { BookTransfer } from './book-transfers.schema.ts'

export async function openTransfers() {
  const place = await openPlace()
  const { database, lane, db, clock, workspace } = place
  const served = await serve(place)
  const task = bookTransferTask(place)
  return {
    ...place,
    call: served.call,
    /** What is due, once. */
    async work(): Promise<void> {
      const due = await db.query<{ subject_id: string; workspace: WorkspaceId }>(sql`
        select workspace, subject_id
        from tasks
        where kind = ${BOOK_TRANSFER_TASK}
        order by subject_id`)
      for (const { subject_id, workspace: of } of due)
        await task({ workspace: of, kind: BOOK_TRANSFER_TASK, subject_id, attempts: 1 })
    },
    /** How many the overview says that wait. */
    async waiting(): Promise<number> {
      const [need] = customersDeskFeed.needs
      const [found] = await db.query<{ count: number }>(
        mustExist(need, 'what waits is a need').select(workspace, clock.now()),
      )
      return found?.count ?? 0
    },
    customer: (label: string, of = workspace): Promise<Customer> =>
      db.tx((tx) =>
        createCustomer(workerCaller(of, 'test'), tx, clock, {
          type: 'RETAIL',
          label,
          margin: 'DEFAULT',
          booking_schema: 'ADVANCED',
          ignore_balance_check: false,
          ignore_margin: false,
          first_name: label,
          last_name: 'Example',
        }),
      ),
    remove: ({ id }: Customer): Promise<void> =>
      db.tx((tx) =>
        deleteCustomer(workerCaller(workspace, 'test'), tx, id, {
          clock,
          hasCommitments: () => Promise.resolve(false),
        }),
      ),
    ...(await booksOf(place)),
    ...stops(place),
    /** Answers the faults of the books. */
    async close(): Promise<string[]> {
      try {
        return (await verifyBooks(db, workspace)).faults
      } finally {
        await served.close()
        await lane.close()
        await database.drop()
      }
    },
  }
}

/** Two workspaces with EUR. */
async function openPlace() {
  const database = await testDatabase()
  const { db } = database
  const clock = manualClock(1_800_000_000_000)
  const lane = openLane(db, clock)
  const EUR = { code: 'EUR', label: 'EUR', kind: 'FIAT', scale: 2 } as const
  const open = async (name: string): Promise<WorkspaceId> => {
    const made = await db.tx(async (tx) => {
      const { id } = await createWorkspace(tx, clock, { name })
      await openBooks({ workspace: id, by: 'test' }, { tx, clock })
      return id
    })
    await putAsset(db, made, { ...EUR, circulating_supply: null })
    return made
  }
  return { database, db, clock, lane, workspace: await open('ours'), theirs: await open('theirs') }
}

type Place = Awaited<ReturnType<typeof openPlace>>

/** The endpoints; 'theirs' is the token of a caller from the other workspace. */
async function serve(place: Place) {
  const principalOf = (workspace: WorkspaceId): Principal => ({
    workspace,
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['bookings.read', 'book-transfers.create']),
  })
  const principals = new Map([
    ['Bearer ours', principalOf(place.workspace)],
    ['Bearer theirs', principalOf(place.theirs)],
  ])
  const server = await testServer({
    db: place.db,
    clock: place.clock,
    endpoints: bookTransfersEndpoints(place),
    authenticate: (header) => {
      const principal = principals.get(header ?? '')
      if (principal === undefined) throw new ApiError('MissingToken')
      return principal
    },
  })
  return {
    call: <Data = BookTransfer>(
      method: 'GET' | 'POST',
      url: string,
      body?: unknown,
      { token = 'ours', headers = {} }: { token?: string; headers?: Record<string, string> } = {},
    ): Promise<Answer<Data>> =>
      server.call<Data>(method, url, { token, headers, ...(body === undefined ? {} : { body }) }),
    close: () => server.close(),
  }
}

async function booksOf({ db, lane, workspace }: Place) {
  const { HOUSE } = await houseAccounts(db, workspace)
  return {
    fund: (to: string, quantity: string) =>
      lane.commit(
        bookingChange(workspace, { from: HOUSE, to, asset: 'EUR', quantity }, { class: 'fact' }),
      ),
    /** As when a venue takes a deposit back: nothing refuses it. */
    takeBack: (from: string, quantity: string) =>
      lane.commit(
        bookingChange(workspace, { from, to: HOUSE, asset: 'EUR', quantity }, { class: 'fact' }),
      ),
    /** total/held */
    async balance(account_id: string): Promise<string> {
      const [known] = await balancesOf(db, workspace, account_id)
      return `${format(known?.total ?? 0n)}/${format(known?.held_withdrawal ?? 0n)}`
    },
    bookings: async (id: string): Promise<string[]> =>
      (await bookingsOf(db, workspace, id)).map(({ type, legs }) => {
        const shown = legs.map(
          (leg) => `${leg.type.charAt(0)} ${leg.account_label} ${leg.quantity}`,
        )
        return `${type} ${shown.join(', ')}`
      }),
  }
}

function stops({ db, clock, workspace }: Place) {
  const author = { workspace, by: 'test' }
  const reason = 'a test'
  return {
    freeze: (account_id: string, frozen: boolean) =>
      db.tx((tx) => freezeAccount(author, { tx, clock }, account_id, { frozen, reason })),
    halt: (halted: boolean) =>
      db.tx((tx) => putHalt(author, { tx, clock }, { action: 'WITHDRAWALS', halted, reason })),
  }
}
