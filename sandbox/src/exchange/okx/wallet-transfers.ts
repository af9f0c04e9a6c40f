/**
 * Transfers between the funding wallet (6) and the trading wallet (18), with the client's id
 * ("Funds transfer", "Get funds transfer state"). Assumed: a client id serves once, and a second
 * request with it gets the code 58404.
 */
import type { Exchange } from '../exchange.ts'
import type { Owner } from '../accounts.ts'
import { floored, plain } from '../figures.ts'
import { assetIn, clientIdIn, figureIn, needed, refusal } from './request.ts'
import type { Fields } from './request.ts'
import type { Operations } from './rest.ts'

const WALLETS: Readonly<Record<string, Owner>> = { 6: 'funding', 18: 'kontor' }

type Row = {
  trans_id: string
  client_id: string | null
  asset: string
  amount: string
  from_wallet: string
  to_wallet: string
}

export function transferOperations(exchange: Exchange): Operations {
  const table = openTable(exchange)
  return {
    'POST asset/transfer': (fields) => [view(transfer(exchange, table, fields))],
    'GET asset/transfer-state': (fields) => {
      const row = table.find(fields['transId'] ?? null, clientIdIn(fields, 'clientId'))
      if (row === undefined)
        throw refusal('58129', "clientId is incorrect or clientId does not match with 'type'")
      const rest = { type: '0', subAcct: '', instId: '', toInstId: '', state: 'success' }
      return [{ ...view(row), ...rest }]
    },
  }
}

const view = (row: Row) => ({
  transId: row.trans_id,
  clientId: row.client_id ?? '',
  ccy: row.asset,
  amt: row.amount,
  from: row.from_wallet,
  to: row.to_wallet,
})

function transfer({ world, rules, accounts }: Exchange, table: Table, fields: Fields): Row {
  const asset = assetIn(fields)
  const amount = figureIn(fields, 'amt')
  const [from, to] = [needed(fields, 'from'), needed(fields, 'to')]
  const [giver, taker] = [WALLETS[from], WALLETS[to]]
  if (giver === undefined || taker === undefined)
    throw refusal('51000', 'Parameter from error', 400)
  if (giver === taker) throw refusal('58123', 'The From parameter cannot be the same as the To.')
  if (floored(amount, asset.decimals) !== amount) throw refusal('51000', 'Parameter amt error', 400)
  const client_id = clientIdIn(fields, 'clientId')
  if (client_id !== null && table.find(null, client_id) !== undefined)
    throw refusal('58404', 'ClientId already exists')
  if (accounts.free(giver, asset.id) < amount)
    throw refusal('58116', 'Transfer exceeds the available amount.')
  const row: Row = {
    trans_id: rules.transfer_id(),
    client_id,
    asset: asset.id,
    amount: plain(amount),
    from_wallet: from,
    to_wallet: to,
  }
  return world.commit(() => {
    accounts.move(giver, taker, asset.id, amount)
    table.insert(row)
    return row
  })
}

type Table = {
  insert(row: Row): void
  find(trans_id: string | null, client_id: string | null): Row | undefined
}

function openTable({ world: { db }, rules }: Exchange): Table {
  const table = `${rules.tables}_wallet_transfers`
  db.exec(`
    create table if not exists ${table} (
      trans_id text primary key,
      client_id text unique,
      asset text not null,
      amount text not null,
      from_wallet text not null,
      to_wallet text not null
    )`)
  const insert = db.prepare(`
    insert into ${table} (trans_id, client_id, asset, amount, from_wallet, to_wallet)
    values (:trans_id, :client_id, :asset, :amount, :from_wallet, :to_wallet)`)
  const select = db.prepare(`
    select trans_id, client_id, asset, amount, from_wallet, to_wallet
    from ${table}
    where trans_id = ?
      or (? is null and client_id = ?)`)
  return {
    insert: (row) => {
      insert.run(row)
    },
    find: (trans_id, client_id) => select.get(trans_id, trans_id, client_id) as Row | undefined,
  }
}
