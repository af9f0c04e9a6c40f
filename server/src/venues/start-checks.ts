/** What of a declared venue cannot be right on this machine. Calls no venue and opens nothing. */
import { createPrivateKey } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import { EXCHANGE_NUMBERS } from './adapters.ts'
import { hasOwnFolder, NO_BANK_FOLDERS } from './bank-folders.ts'
import type { DeclaredVenue } from './declaration.schema.ts'
import { EXCHANGES } from './exchange/exchange.ts'
import { secretAt } from './secrets.ts'

/** Made when the bank is opened. */
const OWN = 'its own'
const ADDRESSES = ['base_url', 'websocket_url', 'private_websocket_url']

/**
 * NOT_FOUND is what is not on this machine and may be on another: secrets and folders.
 *
 * `path`: that of the declaration, whose form has been checked. `works`: this process may work with
 * the venue; only such a one needs its folders. `banks`: where those that a bank does not name are.
 */
export async function faultsHere(
  venue: DeclaredVenue,
  { path, works, banks }: { path: string; works: boolean; banks?: string | undefined },
): Promise<ErrorDetail[]> {
  const { kind, options = {}, secrets: references = {} } = venue
  const secrets: Record<string, string> = {}
  const faults: ErrorDetail[] = []
  for (const [name, reference] of Object.entries(references)) {
    if ('stored' in reference) {
      // Known to the database alone: that there is one is all that is judged.
      if (kind === 'BANK') secrets[name] = reference.stored
      continue
    }
    const place = `${path}.secrets.${name}`
    try {
      secrets[name] = await secretAt(reference, place)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      faults.push({ path: place, code: 'NOT_FOUND', message: error.message })
    }
  }
  const add = (
    field: string,
    problem: string | undefined,
    code: 'FORMAT' | 'NOT_FOUND' = 'FORMAT',
  ): void => {
    if (problem === undefined) return
    const place = `${path}.${field}`
    faults.push({ path: place, code, message: `${place}: ${problem}` })
  }
  for (const name of ADDRESSES) add(`options.${name}`, objectionToAddress(options[name]))
  for (const name of EXCHANGE_NUMBERS) add(`options.${name}`, objectionToNumber(options[name]))
  if (kind === 'EXCHANGE') add('options.exchange', objectionToExchange(options['exchange']))
  if (kind === 'CUSTODY_VAULT') add('secrets.secret_pem', objectionToKey(secrets['secret_pem']))
  if (kind !== 'BANK') return faults
  const isWhole =
    faults.length === 0 && Object.keys(references).length === Object.keys(secrets).length
  const hasOwn = hasOwnFolder(venue)
  const folders = hasOwn ? { outbox_dir: OWN, inbox_dir: OWN } : {}
  add('options', await objectionToAccount({ ...options, ...secrets, ...folders }, isWhole))
  if (!works) return faults
  if (hasOwn && banks === undefined) add('options.outbox_dir', NO_BANK_FOLDERS, 'NOT_FOUND')
  for (const [name, folder] of hasOwn ? [] : foldersOf(options))
    add(`options.${name}`, await objectionToFolder(folder), 'NOT_FOUND')
  return faults
}

const objectionToAddress = (text: string | undefined): string | undefined =>
  text === undefined || (URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol))
    ? undefined
    : `${text} is no address such as https://api.example.com`

const objectionToNumber = (text: string | undefined): string | undefined =>
  text === undefined || /^[1-9][0-9]{0,14}$/.test(text)
    ? undefined
    : `${text} is no whole number above 0`

const objectionToExchange = (name: string | undefined): string | undefined =>
  EXCHANGES.some((known) => known === name)
    ? undefined
    : `exchange ${name ?? ''} is not supported: ${EXCHANGES.join(', ')} are`

/** Says nothing of its text. */
export function objectionToKey(pem: string | undefined): string | undefined {
  if (pem === undefined) return undefined
  try {
    createPrivateKey(pem)
    return undefined
  } catch {
    return 'it holds no private key in PEM'
  }
}

/** Without its secrets, what they are for cannot be judged. */
async function objectionToAccount(
  values: Record<string, string>,
  isWhole: boolean,
): Promise<string | undefined> {
  if (!isWhole) return undefined
  const { accountOf, bankConfig } = await import('./bank/config.ts')
  try {
    accountOf(bankConfig(values))
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

/** Their form has been checked: both are named. */
const foldersOf = ({
  outbox_dir = '',
  inbox_dir = '',
}: Record<string, string>): [name: string, folder: string][] => [
  ['outbox_dir', outbox_dir],
  ['outbox_dir', join(outbox_dir, 'done')],
  ['inbox_dir', inbox_dir],
]

async function objectionToFolder(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? `there is no folder ${folder}`
      : `the user that Kontor runs as may not write to ${folder}`
  }
}
