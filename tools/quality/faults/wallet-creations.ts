/** Wallets that their venue makes: one, however often it was asked for. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { newId } from '../../../server/src/core/ids.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, unless } from './flow.ts'
import type { Expectation, Flow, Outcome } from './flow.ts'
import type { World } from './world.ts'

const CREATING = around('wallet', 'load', 'connect', 'intent', 'create', 'record')
const FINDING = around('wallet', 'find')

/** `wallet`: the label of one that is there; the new one is made beside it. */
type Creation = {
  venue: 'fireblocks' | 'managed'
  wallet: string
  send: string
  configuration: object
}

type WalletRow = { id: string; state: string; address: string; foreign_id: string | null }

const walletFlow = (name: string, creation: Creation): Flow => ({
  name,
  venue: creation.venue,
  send: creation.send,
  points: creation.venue === 'managed' ? [...CREATING, ...FINDING] : CREATING,
  refused: CREATING,
  lost: FINDING,
  async begin(world, expected, key) {
    const label = `Made ${newId()}`
    const id = await create(world, creation, label, key)
    return {
      subject: id,
      marks: [id],
      outcome: () => creationOutcome(world, creation, { id, label, expected }),
      waiting: async () => {
        const { state } = await walletById(world, id)
        return unless(state === 'CREATING', `${state} while the venue is silent`)
      },
    }
  },
})

async function create(
  world: World,
  { wallet, configuration }: Creation,
  label: string,
  key: string,
): Promise<string> {
  const { venue_id, service_id } = await world.wallet(wallet)
  const { customer } = world
  const body = {
    type: 'CUSTOMER',
    asset: 'BTC',
    address: '',
    label,
    venue_id,
    service_id,
    account_id: customer.account_id,
    customer_id: customer.id,
    access_type: 'INTERNAL',
    configuration: { create_external_wallet: true, ...configuration },
  }
  const { id } = await world.call<WalletRow>('POST', '/treasury/wallets', body, key)
  return id
}

async function creationOutcome(
  world: World,
  { venue, send }: Creation,
  { id, label, expected }: { id: string; label: string; expected: Expectation },
): Promise<Outcome | undefined> {
  const wallet = await walletById(world, id)
  if (wallet.state === 'CREATING') return undefined
  const effects =
    venue === 'managed' ? managedWallets(world, label) : await vaultAccounts(world, id)
  const asked = await world.sandbox.received(venue, send, id)
  const [state, made] = expected === 'refused' ? ['FAILED', 0] : ['ACTIVE', 1]
  const wrong = [
    ...unless(wallet.state === state, `state ${wallet.state} instead of ${state}`),
    ...unless(effects === made, `made ${effects} times`),
    ...unless(expected === 'refused' || asked === 1, `asked ${asked} times`),
    ...unless(wallet.state !== 'ACTIVE' || wallet.address !== '', 'no address'),
  ]
  return { state: wallet.state, asked, effects, hold: 'none', wrong }
}

async function walletById({ db, workspace }: World, id: string): Promise<WalletRow> {
  const [row] = await db.query<WalletRow>(
    sql`
      select id, state, address, foreign_id
      from wallets
      where workspace = ${workspace}
        and id = ${id}`,
  )
  return mustExist(row, `wallet ${id}`)
}

const managedWallets = (world: World, label: string): number =>
  world.outside(
    `
      select wallet_id
      from managed_wallets
      where label = ?`,
    label,
  ).length

async function vaultAccounts(world: World, reference: string): Promise<number> {
  const { accounts } = await world.sandbox.control<{
    accounts: { customer_ref_id: string | null }[]
  }>('GET', 'fireblocks')
  return accounts.filter((account) => account.customer_ref_id === reference).length
}

export const WALLET_CREATIONS: readonly Flow[] = [
  walletFlow('wallet creation: vault', {
    venue: 'fireblocks',
    wallet: 'Vault BTC',
    send: 'create_account',
    configuration: { protocol: 'BTC' },
  }),
  walletFlow('wallet creation: managed wallet', {
    venue: 'managed',
    wallet: 'Managed BTC',
    send: 'create_wallet',
    configuration: { customer_id: 'kontor' },
  }),
]
