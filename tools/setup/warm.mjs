// Part of set-up: loads every module once, so that Node keeps them compiled. Later starts are
// quicker and need less memory.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './setup.mjs'

const MODULES = [
  'tools/supervise/supervisor.ts',
  'server/src/app.ts',
  'server/src/worker.ts',
  'server/src/venues/exchange/exchange.ts',
  'server/src/venues/vault/vault.ts',
  'server/src/venues/bank/bank.ts',
  'server/src/venues/managed-wallet/managed-wallet.ts',
  'sandbox/src/control.ts',
  'sandbox/src/bank/bank.ts',
  'sandbox/src/chain/chain.ts',
  'sandbox/src/vault/vault.ts',
  'sandbox/src/managed-wallet/managed-wallet.ts',
  'sandbox/src/exchange/kraken/kraken.ts',
  'sandbox/src/exchange/bitstamp/bitstamp.ts',
  'sandbox/src/mailbox/mailbox.ts',
]

for (const module of MODULES) await import(pathToFileURL(join(ROOT, module)).href)
await import('@fireblocks/ts-sdk/dist/client/client.js')
process.exit(0)
