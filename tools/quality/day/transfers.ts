/** Coins move to the vault, and from there to her own address. */
import type { Client } from '../../../client/src/index.ts'
import { mustExist } from '../../../server/src/core/assert.ts'
import { balanceText, control, until, walletAt } from './context.ts'
import type { Context } from './context.ts'
import type { DayCustomer } from './customer.ts'

export async function moveToVault({ kontor, say }: Context, quantity: string): Promise<void> {
  const [from, to] = [
    await walletAt(kontor, 'Kraken', 'BTC'),
    await walletAt(kontor, 'Fireblocks', 'BTC'),
  ]
  const route = mustExist(
    (
      await kontor.get('/treasury/wallets/routes', {
        query: { from_wallet_id: from.id, to_wallet_id: to.id },
      })
    )[0],
    'a route leads from the exchange to the vault',
  )
  const withdrawal = await kontor.post('/treasury/wallets/routes/{treasury_route_id}/withdrawals', {
    params: { treasury_route_id: route.id },
    body: { quantity, speed_level: 'DEFAULT', note: 'to the vault' },
  })
  const ended = await awaitWithdrawal(kontor, withdrawal.id)
  const arrived = await until('the coins are in the vault', async () =>
    (await kontor.get('/treasury/deposits', { query: { state: 'SUCCESSFUL' } })).find(
      (deposit) => deposit.related_withdrawal_id === withdrawal.id,
    ),
  )
  say(
    `Own transfer ${route.label}: ${quantity} BTC sent (fee ${ended.fee} ${ended.fee_asset}), ` +
      `seen in the vault as deposit ${arrived.id}, no customer's`,
  )
}

export async function withdrawToCustomer(
  context: Context,
  customer: DayCustomer,
  quantity: string,
): Promise<void> {
  const { kontor, say } = context
  const route_id = await routeToHer(context, customer)
  const fee = await estimatedFee(context, route_id, quantity)
  const withdrawal = await kontor.post('/treasury/wallets/routes/{treasury_route_id}/withdrawals', {
    params: { treasury_route_id: route_id },
    body: { quantity, speed_level: 'DEFAULT', fee, account_id: customer.account_id },
  })
  say(
    `Withdrawal ${withdrawal.id} of ${quantity} BTC: ${withdrawal.state}; while it is under way ` +
      `the amount is blocked: ${await balanceText(kontor, customer.account_id)}`,
  )
  const ended = await awaitWithdrawal(kontor, withdrawal.id)
  say(
    `It is on her address, transaction ${ended.transaction_hash}; network fee ${ended.fee} ` +
      `${ended.fee_asset}, borne by the house`,
  )
  say(`Balance: ${await balanceText(kontor, customer.account_id)}`)
}

/** From the vault to a new address of hers, which the custodian allows; answers its id. */
async function routeToHer(context: Context, customer: DayCustomer): Promise<string> {
  const { kontor, say, mark } = context
  const wallet = await herWallet(context, customer)
  const vault = await walletAt(kontor, 'Fireblocks', 'BTC')
  const fields = await kontor.get('/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}', {
    params: { from_wallet_id: vault.id, protocol: 'BTC' },
  })
  say(
    `A route from the vault to her address ${wallet.address} needs ` +
      `${fields.from.map((field) => field.name).join(', ')}`,
  )
  const source = vault.foreign_id ?? ''
  const route = await kontor.post('/treasury/wallets/routes', {
    body: {
      from_wallet_id: vault.id,
      to_wallet_id: wallet.id,
      protocol: 'BTC',
      label: `Vault → Daniela ${mark}`,
      transfer: {
        from: { source_vault_account_id: source, destination_external_account_id: '' },
        to: {},
      },
    },
  })
  await kontor.put('/treasury/wallets/routes/{route_id}/allow', {
    params: { route_id: route.id },
    body: { from_wallet_id: vault.id, to_wallet_id: wallet.id, label: route.label },
  })
  await until('the custodian has allowed the address', async () => {
    const [now] = await kontor.get('/treasury/wallets/routes', { query: { id: route.id } })
    return now?.transfer.to.on_allowlist === true ? now : undefined
  })
  return route.id
}

async function herWallet({ kontor, sandbox_url }: Context, customer: DayCustomer) {
  const { address } = await control<{ address: string }>(
    sandbox_url,
    'POST',
    '/control/chain/addresses',
    { protocol: 'BTC', name: customer.label },
  )
  return kontor.post('/treasury/wallets', {
    body: {
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      label: `${customer.label}'s own`,
      account_id: customer.account_id,
      customer_id: customer.id,
      access_type: 'EXTERNAL',
    },
  })
}

async function estimatedFee(
  { kontor, say }: Context,
  route_id: string,
  quantity: string,
): Promise<string> {
  const { speed_levels, asset } = await kontor.post(
    '/treasury/wallets/routes/{route_id}/estimate-fee',
    { params: { route_id }, body: { quantity } },
  )
  const { fee } = speed_levels.DEFAULT
  say(`The custodian has allowed her address; sending costs ${fee} ${asset}`)
  return fee
}

async function awaitWithdrawal(kontor: Client, withdrawals_id: string) {
  return until('the withdrawal has succeeded', async () => {
    const now = await kontor.get('/treasury/withdrawals/{withdrawals_id}', {
      params: { withdrawals_id },
    })
    if (['FAILED', 'REJECTED', 'CANCELED'].includes(now.state))
      throw new Error(`withdrawal ${withdrawals_id} ended ${now.state}: ${now.reason}`)
    return now.state === 'SUCCESS' ? now : undefined
  })
}
