/**
 * For tests: the workplace with customers, connected venues, wallets and routes, a venue that
 * models what can happen to a transfer, and due work done by hand.
 */
import { workerCaller } from '../../http/index.ts'
import { putSettings } from '../../access/index.ts'
import type { Settings } from '../../access/index.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import type { Answer } from '../../http/testing.ts'
import { balancesOf, bookingsOf, houseAccounts, verifyBooks } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type {
  Incoming,
  TransferOrder,
  TransferReport,
  Transfers,
  Outgoing,
} from '../../venues/index.ts'
import type { AssignedPart } from '../assignments/assignments.schema.ts'
import { treasuryEndpoints, treasuryTasks } from '../index.ts'
import { createRoute } from '../routes/edits.ts'
import {
  BTC_ADDRESS,
  balance,
  IBAN,
  OPENED_AT,
  openWorkplace,
  OTHER_BTC_ADDRESS,
} from './venue.fixture.ts'
import type { FakeVenue } from './venue.fixture.ts'
import { createWallet } from '../wallets/wallets.ts'
import type { Wallet, WalletDraft } from '../wallets/wallets.schema.ts'

export const CUSTOMERS_ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
export const CUSTOMERS_IBAN = 'FR1420041010050500013M02606'

/**
 * What the venue does with the next send. `lost`: the request never arrives. `late`: it arrives,
 * the answer does not.
 */
type Mode = 'accept' | 'refuse' | 'late' | 'lost'

type TransferModel = Transfers & {
  mode: Mode
  sends: TransferOrder[]
  accepted: Map<string, TransferReport>
  down: boolean
  finish(external_id: string, report: Partial<TransferReport>): void
}

function transferModel(fake: FakeVenue): TransferModel {
  const model = {
    mode: 'accept' as Mode,
    sends: [] as TransferOrder[],
    accepted: new Map<string, TransferReport>(),
    down: false,
    async send(order: TransferOrder) {
      model.sends.push(order)
      if (model.mode === 'refuse')
        return { outcome: 'refused' as const, reason: 'not today', native: 'NOPE' }
      if (model.mode === 'lost') return { outcome: 'unknown' as const, reason: 'time-out' }
      const report: TransferReport = {
        foreign_id: `venue-${model.accepted.size + 1}-${fake.id}`,
        state: 'PENDING',
        sub_state: 'SUBMITTED',
        reason: null,
        transaction_hash: null,
        confirmations: null,
        fee: null,
        fee_asset: null,
      }
      model.accepted.set(order.external_id, report)
      return model.mode === 'late'
        ? { outcome: 'unknown' as const, reason: 'time-out' }
        : { outcome: 'accepted' as const, report }
    },
    async find(lookup: TransferOrder) {
      if (model.down) return { lookup: 'unknown' as const, reason: 'down' }
      const report = model.accepted.get(lookup.external_id)
      return report === undefined
        ? { lookup: 'absent' as const }
        : { lookup: 'found' as const, report }
    },
    finish(external_id: string, report: Partial<TransferReport>) {
      const known = model.accepted.get(external_id)
      if (known === undefined) throw new Error(`${external_id} was never accepted`)
      model.accepted.set(external_id, {
        ...known,
        state: 'SUCCESS',
        sub_state: 'COMPLETED',
        ...report,
      })
    },
  }
  fake.transfers = model
  return model as unknown as TransferModel
}

const EVERYTHING = new Set([
  'matchings.read',
  'matchings.write',
  'treasury.wallets.read',
  'treasury.wallets.write',
  'treasury.routes.read',
  'treasury.routes.write',
  'treasury.routes.allow',
  'treasury.deposits.read',
  'treasury.withdrawals.read',
  'treasury.withdrawals.create',
  'treasury.withdrawals.cancel',
  'treasury.withdrawals.resolve',
  'treasury.jobs.read',
  'treasury.jobs.write',
  'assignments.read',
  'assignments.create',
  'assignments.decide',
  'rectifications.read',
  'rectifications.create',
])

export async function openMovements() {
  const place = await openWorkplace()
  const { app, db, clock, workspace, caller, vault, exchange, bank } = place
  await db.query(
    sql`
      insert into workspaces (id, name, system_created_at, system_updated_at)
      values (${workspace}, 'ours', ${clock.now()}, ${clock.now()})`,
  )
  vault.balances = [balance('BTC', '10', { wallet: '0', protocol: 'BTC' })]
  exchange.balances = [balance('BTC', '5'), balance('EUR', '100000')]
  bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
  const models = {
    vault: transferModel(vault),
    exchange: transferModel(exchange),
    bank: transferModel(bank),
  }

  const handlers = treasuryTasks(app)
  await db.tx(async (tx) => {
    for (const { id } of [vault, exchange, bank])
      await tx.query(
        sql`
          insert into tasks (workspace, kind, subject_id, due_at)
          values (${workspace}, 'connect_venue', ${id}, 0)`,
      )
  })

  /** Does what is due until nothing is. */
  async function work(): Promise<void> {
    for (let rounds = 0; rounds < 100; rounds += 1) {
      const [task] = await db.query<{ kind: string; subject_id: string }>(
        sql`
          select kind, subject_id
          from tasks
          where due_at <= ${clock.now()}
            and kind = any(${Object.keys(handlers)})
          order by due_at, kind
          limit 1`,
      )
      if (task === undefined) return
      const result = await handlers[task.kind]?.({ workspace, attempts: 1, ...task })
      if (result === 'done')
        await db.query(
          sql`
            delete from tasks
            where kind = ${task.kind}
              and subject_id = ${task.subject_id}`,
        )
      else
        await db.query(
          sql`
            update tasks
            set due_at = ${result?.again_at ?? 0}
            where kind = ${task.kind}
              and subject_id = ${task.subject_id}`,
        )
    }
    throw new Error('due work does not end')
  }
  const later = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds)
    await work()
  }
  await work()

  let customers = 0
  async function customer(label: string): Promise<Customer> {
    customers += 1
    return db.tx((tx) =>
      createCustomer(workerCaller(workspace, 'test'), tx, clock, {
        type: 'RETAIL',
        label,
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name: label,
        last_name: `Number ${customers}`,
      }),
    )
  }
  const house = await houseAccounts(db, workspace)
  const fund = (account_id: string, asset: string, quantity: string) =>
    app.lane.commit({
      workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'MANUAL',
            asset,
            legs: [
              { account_id: house.HOUSE, type: 'DEBIT', quantity: decimal(quantity) },
              { account_id, type: 'CREDIT', quantity: decimal(quantity) },
            ],
          },
        },
      ],
    })

  const wallet = (draft: Omit<WalletDraft, 'label' | 'access_type'>): Promise<Wallet> =>
    db.tx((tx) =>
      createWallet(
        caller,
        { tx, clock },
        {
          label: 'wallet',
          access_type: draft.venue_id === undefined ? 'EXTERNAL' : 'INTERNAL',
          ...draft,
        },
      ),
    )
  const venueWallet = (
    fake: FakeVenue,
    asset: string,
    address: string,
    configuration: WalletDraft['configuration'] = {},
  ) =>
    wallet({
      type: 'VENUE',
      asset,
      address,
      venue_id: fake.id,
      service_id: fake.service_id,
      account_id: fake.accounts.VENUE,
      configuration,
    })
  const alice = await customer('Alice')
  const wallets = {
    vault: await venueWallet(vault, 'BTC', BTC_ADDRESS, { vault_id: '0', protocol: 'BTC' }),
    exchange: await venueWallet(exchange, 'BTC', OTHER_BTC_ADDRESS),
    exchangeEur: await venueWallet(exchange, 'EUR', 'GB82WEST12345698765432'),
    bank: await venueWallet(bank, 'EUR', IBAN),
    alice: await wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: CUSTOMERS_ADDRESS,
      customer_id: alice.id,
      account_id: alice.account_id,
    }),
    aliceEur: await wallet({
      type: 'CUSTOMER',
      asset: 'EUR',
      address: CUSTOMERS_IBAN,
      customer_id: alice.id,
      account_id: alice.account_id,
    }),
  }
  const route = async (
    from: Wallet,
    to: Wallet,
    protocol: string,
    transfer: { from?: Record<string, string>; to?: Record<string, string> } = {},
  ) => {
    const made = await createRoute(caller, app, {
      label: 'route',
      from_wallet_id: from.id,
      to_wallet_id: to.id,
      protocol,
      transfer,
    })
    await db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'APPROVED'
        where id = ${made.id}`,
    )
    return made
  }
  const routes = {
    payout: await route(wallets.vault, wallets.alice, 'BTC'),
    vaultToExchange: await route(wallets.vault, wallets.exchange, 'BTC'),
    exchangeToVault: await route(wallets.exchange, wallets.vault, 'BTC', {
      from: { key: 'vault' },
    }),
    bankToExchange: await route(wallets.bank, wallets.exchangeEur, 'SEPA', {
      to: { name: 'Exchange', reference: 'ours' },
    }),
    bankToAlice: await route(wallets.bank, wallets.aliceEur, 'SEPA', {
      to: { name: 'Alice', reference: 'thanks' },
    }),
  }

  const principal: Principal = {
    workspace,
    user_id: newId(),
    session_id: newId(),
    permissions: EVERYTHING,
  }
  const stranger: Principal = { ...principal, workspace: newId<WorkspaceId>() }
  const server = await testServer({
    db,
    clock,
    endpoints: treasuryEndpoints(app),
    authenticate: (header) => (header === 'Bearer stranger' ? stranger : principal),
  })
  const call = <Data = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    more: { headers?: Record<string, string>; token?: string } = {},
  ): Promise<Answer<Data>> =>
    server.call<Data>(method, url, {
      token: 'ours',
      ...more,
      ...(body === undefined ? {} : { body }),
    })

  return {
    ...place,
    models,
    wallets,
    routes,
    alice,
    house,
    principal,
    work,
    later,
    customer,
    fund,
    wallet,
    venueWallet,
    route,
    call,
    settings: (changes: Partial<Settings>) =>
      db.tx((tx) => putSettings(tx, clock, workspace, changes)),
    /** total/blocked of an account. */
    async balance(account_id: string, asset: string): Promise<string> {
      const known = (await balancesOf(db, workspace, account_id)).find(
        (balance) => balance.asset === asset,
      )
      return `${format(known?.total ?? 0n)}/${format(known?.held_withdrawal ?? 0n)}`
    },
    /** What is booked on an account. */
    total: async (account_id: string, asset = 'EUR'): Promise<string> =>
      format(
        (await balancesOf(db, workspace, account_id)).find((balance) => balance.asset === asset)
          ?.total ?? 0n,
      ),
    /** The bookings of a cause in short: `TYPE asset D account quantity, C account quantity`. */
    async bookings(reference_id: string): Promise<string[]> {
      const names = new Map<string, string>([
        ...Object.entries(house).map(([name, id]) => [id, name.toLowerCase()] as const),
        [vault.accounts.VENUE, 'vault'],
        [exchange.accounts.VENUE, 'exchange'],
        [bank.accounts.VENUE, 'bank'],
      ])
      return (await bookingsOf(db, workspace, reference_id)).map(
        (booking) =>
          `${booking.type} ${booking.asset} ` +
          `${booking.legs.map((leg) => `${leg.type[0]} ${names.get(leg.account_id) ?? leg.account_label} ${leg.quantity}`).join(', ')}`,
      )
    },
    events: async (resource_id: string) =>
      (
        await db.query<{ type: string }>(
          sql`
            select type
            from events
            where workspace = ${workspace}
              and resource_id = ${resource_id}
            order by sequence`,
        )
      ).map((row) => row.type),
    async verify(): Promise<string[]> {
      return (await verifyBooks(db, workspace)).faults.map(String)
    },
    arrives(fake: FakeVenue, ...movements: Incoming[]): void {
      // What is not dated happens now.
      fake.incoming = [
        ...fake.incoming,
        ...movements.map((movement) =>
          movement.occurred_at === OPENED_AT ? { ...movement, occurred_at: clock.now() } : movement,
        ),
      ]
    },
    /** Now, and is read. */
    async leaves(fake: FakeVenue, ...movements: Outgoing[]): Promise<void> {
      fake.outgoing.push(
        ...movements.map((movement) => ({ ...movement, occurred_at: clock.now() })),
      )
      await later(10_000)
    },
    /** All that left is told once more. */
    async leavesAgain(): Promise<void> {
      await db.query(sql`
        update outgoing_cursors
        set cursor = null`)
      await later(10_000)
    },
    async close(): Promise<void> {
      await server.close()
      await place.close()
    },
  }
}

/** In short, for the tables of the tests: 'S3' is SUCCESSFUL of 3, 'x' at the end is rectified. */
export function assigned(text: string): AssignedPart[] {
  const states = { S: 'SUCCESSFUL', P: 'PENDING', R: 'REJECTED' } as const
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => ({
      state: states[part.charAt(0) as keyof typeof states],
      quantity: decimal(part.replace(/[^0-9.]/g, '')),
      rectification_id: part.endsWith('x') ? 'x' : null,
    }))
}
