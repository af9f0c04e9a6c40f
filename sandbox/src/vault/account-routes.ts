/** The vault's routes about vault accounts, their wallets and addresses. */
import { amount, tryAmount } from '../amount.ts'
import { findCoin } from '../chain/protocols.ts'
import type { VaultWallet } from './account-table.ts'
import type { Accounts } from './accounts.ts'
import { no, ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { ROOT, isText } from './api.ts'
import type { Api, Params, Query } from './api.ts'
import { accountWire, addressWire, walletWire } from './wire.ts'

const MOST_ACCOUNTS = 500

export function mountAccounts(api: Api, accounts: Accounts): void {
  mountAccountReads(api, accounts)
  mountAccountCreation(api, accounts)
  mountWalletCreation(api, accounts)
}

function mountAccountReads({ read }: Api, accounts: Accounts): void {
  read('/vault/accounts_paged', 'list_accounts', ({ query }) => listAccounts(accounts, query))
  read('/vault/accounts/:id', 'get_account', ({ params }) => {
    const account = accounts.account(params.id)
    return account === undefined
      ? no(404, 1004, 'Vault account was not found')
      : ok(accountWire(accounts, account))
  })
  read('/vault/accounts/:id/:asset', 'get_wallet', ({ params }) => {
    const wallet = accounts.wallet(params.id, params.asset)
    return wallet === undefined
      ? no(404, 1006, 'Vault wallet was not found')
      : ok(walletWire(accounts, wallet))
  })
  read('/vault/accounts/:id/:asset/addresses_paginated', 'list_addresses', ({ params }) => {
    const wallet = accounts.wallet(params.id, params.asset)
    if (wallet === undefined) return no(404, 1006, 'Vault wallet was not found')
    return ok({
      addresses: accounts.addresses(wallet).map((address) => addressWire(wallet, address)),
    })
  })
}

function mountAccountCreation({ server, answer }: Api, accounts: Accounts): void {
  server.post<{ Body: { name?: string; customerRefId?: string; hiddenOnUI?: boolean } }>(
    `${ROOT}/vault/accounts`,
    (request, reply) => {
      const { name, customerRefId, hiddenOnUI } = request.body
      return answer(
        request,
        reply,
        { name: 'create_account', reference: customerRefId ?? name ?? '' },
        () =>
          isText(name)
            ? ok(
                accountWire(
                  accounts,
                  accounts.create({
                    name,
                    customer_ref_id: customerRefId ?? null,
                    hidden: hiddenOnUI === true,
                  }),
                ),
              )
            : no(400, 1002, 'name is required'),
      )
    },
  )
}

function mountWalletCreation({ server, answer }: Api, accounts: Accounts): void {
  server.post<{ Params: Params }>(`${ROOT}/vault/accounts/:id/:asset`, (request, reply) => {
    const { id, asset } = request.params
    return answer(request, reply, { name: 'create_wallet', reference: `${id}/${asset}` }, () => {
      const account = accounts.account(id)
      if (account === undefined) return no(404, 1004, 'Vault account was not found')
      if (findCoin(asset) === undefined)
        return no(404, 1006, 'The requested asset is not supported')
      if (accounts.wallet(id, asset) !== undefined)
        return no(400, 1026, 'Vault wallet already exists')
      const wallet = accounts.createWallet(account.id, asset)
      return ok({ id, address: wallet.address, legacyAddress: '', tag: '' })
    })
  })
  server.post<{
    Params: Params
    Body: { description?: string; customerRefId?: string } | undefined
  }>(`${ROOT}/vault/accounts/:id/:asset/addresses`, (request, reply) => {
    const { id, asset } = request.params
    const { description = '', customerRefId } = request.body ?? {}
    return answer(
      request,
      reply,
      { name: 'create_address', reference: customerRefId ?? `${id}/${asset}` },
      () => {
        const wallet = accounts.wallet(id, asset)
        if (wallet === undefined) return no(404, 1006, 'Vault wallet was not found')
        const made = accounts.addAddress(wallet, {
          customer_ref_id: customerRefId ?? null,
          description,
        })
        if (made === undefined)
          return no(400, 1025, 'The asset does not support multiple addresses')
        return ok({
          address: made.address,
          legacyAddress: '',
          enterpriseAddress: '',
          tag: made.tag,
          bip44AddressIndex: made.position,
        })
      },
    )
  })
}

function listAccounts(accounts: Accounts, query: Query): Answer {
  const limit = Math.min(Number(query['limit'] ?? MOST_ACCOUNTS), MOST_ACCOUNTS)
  const after =
    query['after'] === undefined ? -1 : Number(Buffer.from(query['after'], 'base64url').toString())
  if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(after))
    return no(400, 1000, 'GetVaultAccounts request has invalid values')
  const matching = accounts
    .all()
    .filter(
      (account) =>
        account.id > after &&
        account.name.startsWith(query['namePrefix'] ?? '') &&
        account.name.endsWith(query['nameSuffix'] ?? '') &&
        hasAsset(accounts.wallets(account.id), query['assetId'], query['minAmountThreshold']),
    )
  const page = matching.slice(0, limit)
  const last = page.at(-1)
  const next =
    matching.length > page.length && last !== undefined
      ? Buffer.from(String(last.id)).toString('base64url')
      : undefined
  return ok({
    accounts: page.map((account) => accountWire(accounts, account)),
    paging: next === undefined ? {} : { after: next },
  })
}

function hasAsset(
  wallets: VaultWallet[],
  asset: string | undefined,
  least: string | undefined,
): boolean {
  if (asset === undefined) return true
  const wallet = wallets.find((candidate) => candidate.asset === asset)
  return wallet !== undefined && amount(wallet.total) >= (tryAmount(least ?? '0') ?? 0n)
}
