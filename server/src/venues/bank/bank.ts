/**
 * A bank reached by ISO 20022 files: pain.001 out; pain.002, camt.052, camt.053 and camt.054 in. It
 * reads and writes only files.
 *
 * The reference of a transfer is its EndToEndId, of a message with one payment also MsgId and the
 * name of the file; which other file has it is stored before. So a second send finds the first.
 * Balance = closing balance of the newest statement + booked entries notified since; as the bank
 * reports only what is booked, all of it counts as free. While a file newer than that statement is
 * set aside unread, the balance is unknown.
 */
import { join } from 'node:path'
import { ZERO } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { AssetProtocols, Venue, VenueBalance } from '../contract.ts'
import { balanceOf, newestStatement } from './balance.ts'
import { ALONE, Collector } from './collecting.ts'
import { accountOf, type BankAccount, type BankConfig } from './config.ts'
import { decimalsOf } from './currency.ts'
import { readEntries, type Entries } from './entries.ts'
import { protocolsOf, SEPA_INSTANT } from './fields.ts'
import { folderSince } from './folder-age.ts'
import { openFolder } from './folder.ts'
import { openInbox, type InboxFile } from './inbox.ts'
import { limitsOf } from './instant.ts'
import { ENTRY_KINDS, type Profile } from './messages.ts'
import type { Bank } from './parts.ts'
import { handOverTogether } from './sending.ts'
import { openSharedFiles, type SharedFile, type SharedFiles } from './shared-files.ts'
import { bankTransfers } from './transfers.ts'
import type { Transport } from './transport.ts'
import { Turns } from './turns.ts'

/**
 * Throws RangeError when the configuration cannot be right. `report` gets what needs a person.
 */
export async function openBank(
  config: BankConfig,
  report: (problem: string) => void,
): Promise<Venue> {
  const account = accountOf(config)
  const transport = await openTransport(config, report)
  const { collect } = transport
  const shared = openSharedFiles(config.outbox_dir)
  const { sharing = ALONE } = config
  const handedOverSince = () => folderSince(join(config.outbox_dir, 'done'))
  // While it cannot be read, nothing is sent; a look-up that needs it tries again, and says so.
  await handedOverSince().catch(() => undefined)
  const bank: Bank = {
    account,
    inbox: openInbox({ directory: config.inbox_dir, account, collect, report }),
    entriesOf: rememberEntries(account.books, shared),
    transport,
    turns: new Turns(),
    shared,
    handedOverSince,
    collector:
      sharing.payments_per_file === 1
        ? null
        : new Collector(sharing, (payments, until) => handOverTogether(bank, payments, until)),
  }
  return {
    kind: 'BANK',
    balances: () => balancesOf(bank),
    protocols: async () => [assetOf(bank)],
    transfers: bankTransfers(bank),
    close: async () => {
      await bank.turns.end()
      await transport.close()
    },
  }
}

/** What SFTP needs is loaded when it is used. */
async function openTransport(
  config: BankConfig,
  report: (problem: string) => void,
): Promise<Transport> {
  if (config.sftp === undefined) return openFolder(config.outbox_dir)
  const { openSftp } = await import('./sftp/sftp.ts')
  return openSftp(config, config.sftp, report)
}

/** The inbox answers the same array as long as nothing has changed. */
function rememberEntries(books: Profile, shared: SharedFiles): Bank['entriesOf'] {
  let kept: { files: readonly InboxFile[]; entries: Promise<Entries> } | undefined
  return (files) => {
    if (kept?.files === files) return kept.entries
    const entries = entriesIn(files, books, shared)
    kept = { files, entries }
    entries.catch(() => {
      if (kept?.entries === entries) kept = undefined
    })
    return entries
  }
}

async function entriesIn(
  files: readonly InboxFile[],
  books: Profile,
  shared: SharedFiles,
): Promise<Entries> {
  const named = files.flatMap(({ message }) => message.entries.flatMap((entry) => entry.files))
  const found = new Map<string, SharedFile[]>()
  for (const name of new Set(named)) found.set(name, await shared.find(name))
  return readEntries(files, { books, filesOf: (name) => found.get(name) ?? [] })
}

async function balancesOf({ account, inbox, entriesOf }: Bank): Promise<VenueBalance[]> {
  const files = await inbox.files()
  const newest = newestStatement(files, account.books)
  if (newest === undefined) throw new ApiError('VenueUnreachable', noStatement(files, account))
  const gap = (await inbox.aside()).some(({ name }) => name > newest.name)
  const total = gap ? null : balanceOf(newest.statement, await entriesOf(files))
  return [
    {
      wallet: account.number,
      asset: account.currency,
      protocol: protocolsOf(account)[0],
      free: total,
      used: gap ? null : ZERO,
      total,
    },
  ]
}

/** Of a bank that sends only what does not book by its profile, that is the reason. */
function noStatement(files: readonly InboxFile[], { books }: BankAccount): string {
  const kinds = new Set(files.map(({ message }) => message.kind))
  const idle = ENTRY_KINDS.filter((kind) => kinds.has(kind) && !books.has(kind))
  const reason = 'the bank has not sent a statement yet'
  return idle.length === 0
    ? reason
    : `${reason}; it sends ${idle.join(' and ')}, which by its profile does not book`
}

function assetOf({ account }: Bank): AssetProtocols {
  const { currency } = account
  return {
    asset: currency,
    protocols: protocolsOf(account).map((protocol) => ({
      protocol,
      native: currency,
      decimals: decimalsOf(currency),
      tag_required: false,
      min_withdrawal: limitsOf(account, protocol).minimum,
      max_withdrawal: limitsOf(account, protocol).maximum,
      // What arrives at once is money like any other.
      deposit: protocol !== SEPA_INSTANT,
      withdraw: true,
    })),
  }
}
