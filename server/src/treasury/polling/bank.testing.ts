/** For tests: the treasury at the simulated bank, by files as in production. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../core/ids.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { workerCaller } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import { bookingsOf, houseAccounts, verifyBooks } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { startSandbox } from '../../venues/sandbox-process.testing.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { treasuryEndpoints } from '../index.ts'
import { books } from '../testing/books.testing.ts'
import { dueWork } from '../testing/due-work.testing.ts'
import { openWorkplace } from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import { createWallet } from '../wallets/wallets.ts'
import type { Wallet, WalletDraft } from '../wallets/wallets.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { connectAdapter } from './bank-adapter.testing.ts'

const UNKNOWN_IBAN = 'NL91ABNA0417164300'
const EVERYTHING = new Set([
  'treasury.routes.read',
  'treasury.routes.write',
  'treasury.deposits.read',
  'treasury.deposits.return',
  'treasury.withdrawals.read',
  'treasury.withdrawals.create',
  'treasury.withdrawals.resolve',
  'treasury.set-aside.decide',
  'assignments.read',
  'assignments.create',
  'matchings.write',
])

type Account = { iban: string; name: string; owner: string; quantity: string }
type Until = <T>(what: string, probe: () => Promise<T>) => Promise<Exclude<T, undefined | false>>

export async function openBank() {
  const sandbox = await startSandbox()
  const place = await openWorkplace()
  const until: Until = (what, probe) => workUntil(place, what, probe)
  const control = <T = unknown>(what: string, body: object = {}) =>
    sandbox.control<T>('POST', `bank/${what}`, body)
  const accounts = async () =>
    (await sandbox.control<{ accounts: Account[] }>('GET', 'bank/accounts')).accounts
  const ours = await connectAdapter(place, sandbox)
  const { alice, house } = await openCustomer(place)
  await addConnecting(place)
  const api = await serve(place)
  await until('the bank is connected', () => isConnected(place))
  const bob =
    (await accounts()).find((account) => account.name === 'Bob Example')?.iban ?? assert.fail()
  const wallets = await openWallets(place, alice, { bank: ours.iban, bob })
  return {
    sandbox,
    place,
    sharing: ours.sharing,
    alice,
    house,
    wallets,
    until,
    control,
    ...api,
    ...payments({ call: api.call, until, alice, wallets }),
    ...agreement(place, house, {
      until,
      balanceAtBank: async () =>
        (await accounts()).find((account) => account.iban === ours.iban)?.quantity,
    }),
    /** World time by small steps: every wire makes each of its steps. */
    async days(milliseconds: number): Promise<void> {
      for (let gone = 0; gone < milliseconds; gone += 5_000)
        await sandbox.control('POST', 'clock', { advance_ms: 5_000 })
    },
    wire: (quantity: string, reference: string) =>
      control<{ wire_id: string; from_iban: string }>('wire', {
        from_name: 'Carol Example',
        to_iban: ours.iban,
        quantity,
        currency: 'EUR',
        reference,
      }),
    async close(): Promise<void> {
      try {
        assert.deepEqual((await verifyBooks(place.db, place.workspace)).faults, [])
      } finally {
        await api.close()
        await place.close()
        await sandbox.stop()
      }
    },
  }
}

/** Alice with 10,000 EUR. */
async function openCustomer(place: Workplace) {
  const { clock, db, workspace } = place
  await db.query(
    sql`
      insert into workspaces (id, name, system_created_at, system_updated_at)
      values (${workspace}, 'ours', ${clock.now()}, ${clock.now()})`,
  )
  const house = await houseAccounts(db, workspace)
  const alice = await db.tx((tx) =>
    createCustomer(workerCaller(workspace, 'test'), tx, clock, {
      type: 'RETAIL',
      label: 'Alice',
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
      first_name: 'Alice',
      last_name: 'A',
    }),
  )
  await books(place, house).fund(alice.account_id, 'EUR', '10000')
  return { alice, house }
}

const addConnecting = ({ bank, db, workspace }: Workplace) =>
  db.query(
    sql`
      insert into tasks (workspace, kind, subject_id, due_at)
      values (${workspace}, 'connect_venue', ${bank.id}, 0)`,
  )

async function isConnected({ bank, db }: Workplace): Promise<boolean> {
  const openings = await db.query(sql`
    select 1
    from venue_openings
    where venue_id = ${bank.id}
      and asset = 'EUR'`)
  return openings.length > 0
}

async function serve({ app, clock, db, workspace }: Workplace) {
  const server = await testServer({
    db,
    clock,
    endpoints: treasuryEndpoints(app),
    authenticate: () => ({
      workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: EVERYTHING,
    }),
  })
  return {
    call: <Data>(method: 'GET' | 'POST', url: string, body?: unknown) =>
      server.call<Data>(method, url, { token: 'ours', ...(body === undefined ? {} : { body }) }),
    close: () => server.close(),
  }
}

async function openWallets(
  place: Workplace,
  alice: Customer,
  ibans: { bank: string; bob: string },
) {
  const { bank, caller, clock, db } = place
  const make = (label: string, draft: Omit<WalletDraft, 'label'>): Promise<Wallet> =>
    db.tx((tx) => createWallet(caller, { tx, clock }, { label, ...draft }))
  const external = (address: string) =>
    ({
      type: 'CUSTOMER',
      asset: 'EUR',
      address,
      customer_id: alice.id,
      account_id: alice.account_id,
      access_type: 'EXTERNAL',
    }) as const
  return {
    bank: await make('bank', {
      type: 'VENUE',
      asset: 'EUR',
      address: ibans.bank,
      venue_id: bank.id,
      service_id: bank.service_id,
      account_id: bank.accounts.VENUE,
      access_type: 'INTERNAL',
    }),
    bob: await make('bob', external(ibans.bob)),
    nobody: await make('nobody', external(UNKNOWN_IBAN)),
    /** An account that the bank should have, and has not. */
    closed: await make('closed', external('DE08 5002 0400 0000 0099 99')),
    overseas: await make('overseas', external('GB82WEST12345698765432')),
  }
}

/** Does what is due, with our clock going on, until it is so. */
async function workUntil<T>(
  place: Workplace,
  what: string,
  probe: () => Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const { work } = dueWork(place)
  const end = Date.now() + 90_000
  for (;;) {
    await work()
    const found = await probe()
    if (found !== false && found !== undefined) return found as Exclude<T, undefined | false>
    if (Date.now() > end) throw new Error(`never happened: ${what}`)
    await pause(10)
    place.clock.advance(1_000)
  }
}

type Parts = {
  call: Awaited<ReturnType<typeof serve>>['call']
  until: Until
  alice: Customer
  wallets: Awaited<ReturnType<typeof openWallets>>
}

function payments({ call, until, alice, wallets }: Parts) {
  const withdrawal = async (id: string) =>
    (await call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const route = (to: Wallet, protocol: string, transfer: Record<string, string>) =>
    call<{ id: string }>('POST', '/treasury/wallets/routes', {
      label: 'r',
      from_wallet_id: wallets.bank.id,
      to_wallet_id: to.id,
      protocol,
      transfer: { to: { name: 'Bob Example', reference: 'thanks', ...transfer } },
    })
  const request = async (
    to: Wallet,
    quantity: string,
    protocol = 'SEPA',
    transfer: Record<string, string> = {},
  ): Promise<Withdrawal> => {
    const made = await route(to, protocol, transfer)
    assert.equal(made.status, 200, made.text)
    const sent = await call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${made.data.id}/withdrawals`,
      { quantity, speed_level: 'DEFAULT', account_id: alice.account_id },
    )
    assert.equal(sent.status, 200, sent.text)
    return sent.data
  }
  return {
    route,
    request,
    withdrawal,
    /** The bank has accepted it, or holds it for its payee. */
    async pay(...asked: Parameters<typeof request>): Promise<Withdrawal> {
      const sent = await request(...asked)
      await until('the bank answers', async () => {
        const { state, sub_state } = await withdrawal(sent.id)
        return sub_state === 'ACCP' || state === 'PENDING_REVIEW'
      })
      return sent
    },
    externals: async () =>
      (await call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.filter(
        (row) => row.origin === 'EXTERNAL',
      ),
    deposits: async () => (await call<Deposit[]>('GET', '/treasury/deposits')).data,
  }
}

function agreement(
  place: Workplace,
  house: Awaited<ReturnType<typeof openCustomer>>['house'],
  { until, balanceAtBank }: { until: Until; balanceAtBank: () => Promise<string | undefined> },
) {
  const { bank, db, workspace } = place
  const { total } = books(place, house)
  return {
    total,
    /** The types of the bookings of a cause. */
    types: async (id: string) =>
      (await bookingsOf(db, workspace, id)).map((booking) => booking.type),
    /** Our books of the account come to equal the bank's. */
    async agrees(): Promise<void> {
      const there = await balanceAtBank()
      await until(
        `our books agree with the bank's ${there}`,
        async () => (await total(bank.accounts.VENUE)) === there,
      )
    },
  }
}
