/**
 * A simulated Fireblocks at /fireblocks/v1: vault accounts, an allow-list that takes its time,
 * transactions with fee levels and confirmations, webhooks. What its accounts hold in sum is what
 * lies at its addresses on the chain.
 */
import type { Chain, Part } from '../part.ts'
import type { World } from '../world.ts'
import { PART, openAccounts } from './accounts.ts'
import { openAuth } from './auth.ts'
import { mountControl } from './control.ts'
import { openDeviations } from './deviations.ts'
import { openExternalWallets } from './external-wallets.ts'
import { mountRest } from './rest.ts'
import { openTransactions } from './transactions.ts'
import { openWebhooks } from './webhooks.ts'
import { transactionWire } from './wire.ts'

export type VaultPart = Part & {
  /** Where the first vault account receives this asset. */
  address(asset: string): string
}

/**
 * `FIREBLOCKS_OPENAPI` names the published description (a YAML file); with it, every request,
 * answer and webhook is compared with the description.
 */
export function openVault(
  world: World,
  chain: Chain,
  description = process.env['FIREBLOCKS_OPENAPI'],
): VaultPart {
  const deviations = openDeviations(world, description)
  const authenticate = openAuth(world.dir)
  const webhooks = openWebhooks(world)
  const accounts = openAccounts(world, chain)
  const external = openExternalWallets(world)
  const transactions = openTransactions(world, chain, accounts, (transaction, created) => {
    const type = created ? 'transaction.created' : 'transaction.status.updated'
    const data = transactionWire(transaction)
    deviations.webhook(type, data)
    webhooks.post({ type, resource_id: transaction.id, data })
  })
  return {
    name: PART,
    mount(server) {
      mountRest(
        server,
        { world, chain, accounts, external, transactions, authenticate },
        deviations,
      )
      deviations.mount(server)
      mountControl(server, { world, accounts, external, transactions, webhooks })
    },
    close: async () => {
      webhooks.close()
    },
    holdings: accounts.holdings,
    address: (asset) => world.commit(() => accounts.createWallet(0, asset).address),
  }
}
