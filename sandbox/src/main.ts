/**
 * The outside world as one program: opens the durable world and its parts, and serves them on one
 * port. SANDBOX_PORT (4010; 0 for any free port) and SANDBOX_DIR (./data/sandbox) are its
 * settings. Prints `{"ready":true,"port":N,"smtp_port":M}` when it serves.
 */
import Fastify from 'fastify'
import { openAggregator } from './aggregator/aggregator.ts'
import { openBank } from './bank/bank.ts'
import { openSftpServer } from './bank/sftp.ts'
import { openChain } from './chain/chain.ts'
import { COINS } from './chain/protocols.ts'
import { mountControl } from './control.ts'
import { openBitstamp } from './exchange/bitstamp/bitstamp.ts'
import { openKraken } from './exchange/kraken/kraken.ts'
import { PRIME } from './exchange/kraken/listing.ts'
import { openOkx } from './exchange/okx/okx.ts'
import { KONTOR } from './genesis.ts'
import { writeKontorConfiguration } from './kontor.ts'
import { openMailbox } from './mailbox/mailbox.ts'
import { openManagedWallets } from './managed-wallet/managed-wallet.ts'
import { exitWithParent } from './parent.ts'
import type { Part } from './part.ts'
import { openVault } from './vault/vault.ts'
import { openWorld } from './world.ts'

const coins = COINS.map(({ asset }) => asset)
const managedCoins = coins.filter((asset) => asset in KONTOR.managed)
const taggedCoins = COINS.filter(({ protocol }) => protocol.tags).map(({ asset }) => asset)

exitWithParent()
const world = openWorld(process.env['SANDBOX_DIR'] ?? 'data/sandbox')
const chain = openChain(world)
const bank = openBank(world)
const sftp = await openSftpServer(world)
const kraken = openKraken(world, chain, bank.rails)
const prime = openKraken(world, chain, bank.rails, PRIME)
const bitstamp = openBitstamp(world, chain, bank.rails)
const okx = openOkx(world, chain, bank.rails)
const vault = openVault(world, chain)
const managed = openManagedWallets(world, chain)
const mailbox = await openMailbox(world)
const parts: Part[] = [
  chain,
  bank,
  sftp,
  kraken,
  bitstamp,
  okx,
  prime,
  vault,
  managed,
  mailbox,
  openAggregator(world),
]
// Kraken sends only to registered keys: Kontor's vault, managed wallets and bank account.
for (const asset of coins)
  kraken.addWithdrawalKey({
    key: `vault-${asset.toLowerCase()}`,
    asset,
    address: vault.address(asset),
    tag: null,
  })
for (const asset of managedCoins)
  kraken.addWithdrawalKey({
    key: `managed-${asset.toLowerCase()}`,
    asset,
    address: managed.wallet(asset).address,
    tag: null,
  })
// OKX sends only to verified addresses.
const okxCoins = coins.filter((asset) => asset in KONTOR.okx)
for (const asset of okxCoins) {
  const tag = taggedCoins.includes(asset) ? ':0' : ''
  okx.addDestination(asset, `${vault.address(asset)}${tag}`)
}
const owner = { part: 'kontor', locator: 'main', name: 'Kontor' }
const kontor = bank.rails.account(owner, 'EUR')
okx.addDestination('EUR', kontor.iban)
kraken.addWithdrawalKey({ key: 'bank-eur', asset: 'EUR', address: kontor.iban, tag: null })
// The destinations to which the prime broker pays what it owes.
for (const asset of coins)
  prime.addWithdrawalKey({
    key: `vault-${asset.toLowerCase()}`,
    asset,
    address: vault.address(asset),
    tag: null,
  })
prime.addWithdrawalKey({ key: 'bank-eur', asset: 'EUR', address: kontor.iban, tag: null })

const server = Fastify({
  forceCloseConnections: true,
  routerOptions: { maxParamLength: 200 },
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
})
server.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
  const status = error.statusCode ?? 500
  if (status >= 500)
    process.stderr.write(
      `sandbox: ${request.method} ${request.url}: ${error.stack ?? error.message}\n`,
    )
  return reply.code(status).send({ error: error.message })
})
mountControl(server, world, parts)
// Each part has a scope of its own, with its own body parsers and hooks.
for (const part of parts)
  await server.register(async (scope) => {
    part.mount(scope)
  })
server.server.on('upgrade', (request, socket, head) => {
  const part = parts.find((part) => request.url?.startsWith(`/${part.name}/`))
  if (part?.upgrade === undefined) socket.destroy()
  else part.upgrade(request, socket, head)
})

let ending = false
async function end(): Promise<void> {
  if (ending) return
  ending = true
  for (const part of parts) await part.close?.()
  await server.close()
  world.close()
  process.exit(0)
}
process.on('SIGTERM', () => {
  void end()
})
process.on('SIGINT', () => {
  void end()
})

await server.listen({ host: '127.0.0.1', port: Number(process.env['SANDBOX_PORT'] ?? 4010) })
const address = server.server.address()
const port = typeof address === 'object' ? address?.port : undefined
writeKontorConfiguration(world.dir, {
  SANDBOX_URL: `http://127.0.0.1:${port}`,
  SANDBOX_WS_URL: `ws://127.0.0.1:${port}`,
  BANK_IBAN: kontor.iban,
  BANK_CHF_IBAN: bank.rails.account(owner, 'CHF').iban,
  BANK_USD_ACCOUNT: bank.rails.account(owner, 'USD').iban,
  BANK_SFTP_PORT: String(sftp.port),
  KRAKEN_TIER: kraken.tier(),
  PRIME_TIER: prime.tier(),
  BITSTAMP_TIER: bitstamp.tier(),
  OKX_TIER: okx.tier(),
  KRAKEN_EUR: kraken.address('EUR').address,
  KRAKEN_REFERENCE: kraken.reference,
  BITSTAMP_EUR: bitstamp.address('EUR').address,
  BITSTAMP_REFERENCE: bitstamp.reference,
  OKX_EUR: okx.address('EUR').address,
  OKX_REFERENCE: okx.reference,
  PRIME_EUR: prime.address('EUR').address,
  PRIME_REFERENCE: prime.reference,
  ...Object.fromEntries(
    coins.flatMap((asset) => [
      [`KRAKEN_${asset}`, kraken.address(asset).address],
      [`PRIME_${asset}`, prime.address(asset).address],
      [`BITSTAMP_${asset}`, bitstamp.address(asset).address],
      [`VAULT_${asset}`, vault.address(asset)],
    ]),
  ),
  ...Object.fromEntries(
    taggedCoins.flatMap((asset) => [
      [`KRAKEN_${asset}_TAG`, kraken.address(asset).tag ?? ''],
      [`PRIME_${asset}_TAG`, prime.address(asset).tag ?? ''],
      [`BITSTAMP_${asset}_TAG`, bitstamp.address(asset).tag ?? ''],
    ]),
  ),
  ...Object.fromEntries(
    okxCoins.flatMap((asset) => [
      [`OKX_${asset}`, okx.address(asset).address],
      [`OKX_${asset}_TAG`, okx.address(asset).tag ?? ''],
    ]),
  ),
  ...Object.fromEntries(
    managedCoins.flatMap((asset) => [
      [`MANAGED_${asset}`, managed.wallet(asset).address],
      [`MANAGED_${asset}_WALLET`, managed.wallet(asset).wallet_id],
    ]),
  ),
})
process.stdout.write(`${JSON.stringify({ ready: true, port, smtp_port: mailbox.port })}\n`)
