/** For tests: the workplace with customers, connected venues, wallets and routes. */
import { workerCaller } from '../../http/index.ts'
import { putSettings } from '../../access/index.ts'
import type { Settings } from '../../access/index.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import type { Answer } from '../../http/testing.ts'
import { houseAccounts } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Incoming, Outgoing } from '../../venues/index.ts'
import { treasuryEndpoints } from '../index.ts'
import { createRoute } from '../routes/edits.ts'
import {
  BTC_ADDRESS,
  balance,
  IBAN,
  OPENED_AT,
  openWorkplace,
  OTHER_BTC_ADDRESS,
} from './venue.fixture.ts'
import type { Workplace } from './venue.fixture.ts'
import { books } from './books.testing.ts'
import { dueWork } from './due-work.testing.ts'
import { transferModel } from './transfer-model.testing.ts'
import type { FakeVenue } from './fake-venue.testing.ts'
import { changeWallet, createWallet } from '../wallets/wallets.ts'
import type { Wallet, WalletDraft } from '../wallets/wallets.schema.ts'

export const CUSTOMERS_ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
export const CUSTOMERS_IBAN = 'FR1420041010050500013M02606'

const EVERYTHING = new Set([
  'matchings.read',
  'matchings.write',
  'treasury.wallets.read',
  'treasury.wallets.write',
  'treasury.routes.read',
  'treasury.routes.write',
  'treasury.routes.allow',
  'treasury.deposits.read',
  'treasury.deposits.return',
  'treasury.withdrawals.read',
  'treasury.withdrawals.create',
  'treasury.withdrawals.cancel',
  'treasury.withdrawals.resolve',
  'treasury.withdrawals.third_party',
  'treasury.set-aside.decide',
  'treasury.jobs.read',
  'treasury.jobs.write',
  'assignments.read',
  'assignments.create',
  'assignments.decide',
  'rectifications.read',
  'rectifications.create',
  'settlements.initiate',
  'travel-rule.read',
  'travel-rule.write',
])

export async function openMovements() {
  const place = await openWorkplace()
  const { db, clock, workspace, vault, exchange, bank } = place
  await openVenues(place)
  const models = {
    vault: transferModel(vault),
    exchange: transferModel(exchange),
    bank: transferModel(bank),
  }
  const { work, later } = dueWork(place)
  await work()
  const customer = customers(place)
  const alice = await customer('Alice')
  const house = await houseAccounts(db, workspace)
  const { wallet, venueWallet, wallets } = await openWallets(place, alice)
  const { route, routes } = await openRoutes(place, wallets)
  const served = await serve(place)
  return {
    ...place,
    models,
    wallets,
    routes,
    alice,
    house,
    principal: served.principal,
    /** Who else calls, by the header `Authorization`. */
    others: served.others,
    work,
    later,
    customer,
    belongsTo: owning(place),
    wallet,
    venueWallet,
    route,
    call: served.call,
    settings: (changes: Partial<Settings>) =>
      db.tx((tx) => putSettings(workerCaller(workspace, 'test'), tx, clock, changes)),
    ...books(place, house),
    ...movements(place, later),
    async close(): Promise<void> {
      await served.close()
      await place.close()
    },
  }
}

/** What the venues hold, and the task that connects each. */
async function openVenues({ db, clock, workspace, vault, exchange, bank }: Workplace) {
  await db.query(
    sql`
      insert into workspaces (id, name, system_created_at, system_updated_at)
      values (${workspace}, 'ours', ${clock.now()}, ${clock.now()})`,
  )
  vault.balances = [balance('BTC', '10', { wallet: '0', protocol: 'BTC' })]
  exchange.balances = [balance('BTC', '5'), balance('EUR', '100000')]
  bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
  await db.tx(async (tx) => {
    for (const { id } of [vault, exchange, bank])
      await tx.query(
        sql`
          insert into tasks (workspace, kind, subject_id, due_at)
          values (${workspace}, 'connect_venue', ${id}, 0)`,
      )
  })
}

function customers({ db, clock, workspace }: Workplace) {
  let count = 0
  return (label: string): Promise<Customer> => {
    count += 1
    return db.tx((tx) =>
      createCustomer(workerCaller(workspace, 'test'), tx, clock, {
        type: 'RETAIL',
        label,
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name: label,
        last_name: `Number ${count}`,
      }),
    )
  }
}

/** From now on the wallets are this customer's. */
function owning({ caller, clock, db }: Workplace) {
  return async ({ id, account_id }: Customer, ...wallets: Wallet[]): Promise<void> => {
    for (const { id: wallet_id, asset, address, label, access_type } of wallets) {
      const owner = { type: 'CUSTOMER' as const, customer_id: id, account_id }
      const change = { id: wallet_id, asset, address, label, access_type, ...owner }
      await db.tx((tx) => changeWallet(caller, { tx, clock }, change))
    }
  }
}

async function openWallets(place: Workplace, alice: Customer) {
  const { caller, clock, db, vault, exchange, bank } = place
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
  const customerWallet = (asset: string, address: string) =>
    wallet({
      type: 'CUSTOMER',
      asset,
      address,
      customer_id: alice.id,
      account_id: alice.account_id,
    })
  const wallets = {
    vault: await venueWallet(vault, 'BTC', BTC_ADDRESS, { vault_id: '0', protocol: 'BTC' }),
    exchange: await venueWallet(exchange, 'BTC', OTHER_BTC_ADDRESS),
    exchangeEur: await venueWallet(exchange, 'EUR', 'GB82WEST12345698765432'),
    bank: await venueWallet(bank, 'EUR', IBAN),
    alice: await customerWallet('BTC', CUSTOMERS_ADDRESS),
    aliceEur: await customerWallet('EUR', CUSTOMERS_IBAN),
  }
  return { wallet, venueWallet, wallets }
}

type Wallets = Awaited<ReturnType<typeof openWallets>>['wallets']

async function openRoutes({ app, caller, db }: Workplace, wallets: Wallets) {
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
  return { route, routes }
}

/** The module's endpoints; 'stranger' is the token of a caller from another workspace. */
async function serve({ app, clock, db, workspace }: Workplace) {
  const principal: Principal = {
    workspace,
    user_id: newId(),
    session_id: newId(),
    permissions: EVERYTHING,
  }
  const stranger: Principal = { ...principal, workspace: newId<WorkspaceId>() }
  const others = new Map([['Bearer stranger', stranger]])
  const server = await testServer({
    db,
    clock,
    endpoints: treasuryEndpoints(app),
    authenticate: (header) => others.get(header ?? '') ?? principal,
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
  return { principal, others, call, close: () => server.close() }
}

function movements({ clock, db }: Workplace, later: (milliseconds: number) => Promise<void>) {
  return {
    arrives(fake: FakeVenue, ...incoming: Incoming[]): void {
      // What is not dated happens now.
      fake.incoming = [
        ...fake.incoming,
        ...incoming.map((movement) =>
          movement.occurred_at === OPENED_AT ? { ...movement, occurred_at: clock.now() } : movement,
        ),
      ]
    },
    /** Happens now, and is read. */
    async leaves(fake: FakeVenue, ...outgoing: Outgoing[]): Promise<void> {
      fake.outgoing.push(...outgoing.map((movement) => ({ ...movement, occurred_at: clock.now() })))
      await later(10_000)
    },
    /** The venue reports all that left once more. */
    async leavesAgain(): Promise<void> {
      await db.query(sql`
        update outgoing_cursors
        set cursor = null`)
      await later(10_000)
    },
  }
}
