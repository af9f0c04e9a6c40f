/** A bank for tests, with its world, its control routes and its folders. */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { validateXML } from 'xmllint-wasm'
import type { FaultKind } from '../faults.ts'
import { until } from '../testing.ts'
import { openWorld } from '../world.ts'
import { openBank } from './bank.ts'

export const SCHEMAS = join(import.meta.dirname, '../../../../shared/iso20022')
/** Among those schemas there is none of it. */
const UNCOMPARED = ['pain.002.001.10']
const HOUR = 3_600_000
export const UNKNOWN_IBAN = 'NL91ABNA0417164300'

type Accounts = {
  accounts: { iban: string; name: string; owner: string; quantity: string }[]
  in_transit: string
  total: string
  totals: Record<string, string>
}

export function start(dir: string, schemas?: string) {
  const fresh = !existsSync(join(dir, 'world.sqlite'))
  const world = openWorld(dir)
  // Time goes on only when the test says so: nothing is booked between two looks. It begins after
  // a full hour, at which there is a statement.
  world.setPace(0)
  if (fresh) world.advance(HOUR - (world.now() % HOUR) + 60_000)
  const bank = openBank(world, schemas)
  const server = Fastify()
  bank.mount(server)
  const outbox = join(dir, 'bank/kontor/outbox')
  const inbox = join(dir, 'bank/kontor/inbox')
  const files = (kind: string) =>
    readdirSync(inbox)
      .filter((name) => name.endsWith(`${kind}.xml`))
      .toSorted()
  const accounts = async (): Promise<Accounts> =>
    (await server.inject({ url: '/control/bank/accounts' })).json()
  const quantity = async (owner: string, name?: string) =>
    (await accounts()).accounts.find(
      (account) => account.owner === owner && (name === undefined || account.name === name),
    )?.quantity
  return {
    world,
    bank,
    server,
    outbox,
    inbox,
    files,
    accounts,
    quantity,
    read: (name: string) => readFileSync(join(inbox, name), 'utf8'),
    iban: (JSON.parse(readFileSync(join(dir, 'credentials/bank.json'), 'utf8')) as { iban: string })
      .iban,
    drop: (name: string, xml: string) => {
      writeFileSync(join(outbox, `.${name}`), xml)
      renameSync(join(outbox, `.${name}`), join(outbox, name))
    },
    taken: (name: string) =>
      until(`${name} taken`, () =>
        existsSync(join(outbox, 'done', name)) && !existsSync(join(outbox, name))
          ? true
          : undefined,
      ),
    fault: (operation: string, kind: FaultKind, delay_ms = 0) => {
      world.faults.add({ venue: 'bank', operation, kind, remaining: 1, delay_ms })
    },
    stop: async () => {
      await server.close()
      await bank.close?.()
      world.close()
    },
  }
}

type Bank = ReturnType<typeof start>

export async function withBank(
  work: (bank: Bank, dir: string) => Promise<void>,
  schemas?: string,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'kontor-bank-'))
  const bank = start(dir, schemas)
  try {
    const before = (await bank.accounts()).totals
    await work(bank, dir)
    assert.deepEqual((await bank.accounts()).totals, before, 'no money made or lost')
    await mustBeValid(bank)
  } finally {
    await bank.stop()
    rmSync(dir, { recursive: true })
  }
}

type Order = {
  id: string
  from: string
  to: string
  amount: string
  control?: string
  count?: string
  currency?: string
  name?: string
}

export const pain = ({
  id,
  from,
  to,
  amount,
  control = amount,
  count = '1',
  currency = 'EUR',
  name = 'Bob Example',
}: Order) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>
<GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-11-21T10:00:00</CreDtTm>
<NbOfTxs>${count}</NbOfTxs><CtrlSum>${control}</CtrlSum>
<InitgPty><Nm>Kontor</Nm></InitgPty></GrpHdr>
<PmtInf><PmtInfId>${id}.0</PmtInfId><PmtMtd>TRF</PmtMtd>
<NbOfTxs>1</NbOfTxs><CtrlSum>${amount}</CtrlSum>
<ReqdExctnDt><Dt>2026-11-21</Dt></ReqdExctnDt><Dbtr><Nm>Kontor</Nm></Dbtr>
<DbtrAcct><Id><IBAN>${from}</IBAN></Id></DbtrAcct>
<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>
<CdtTrfTxInf><PmtId><EndToEndId>${id}</EndToEndId></PmtId>
<Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt><Cdtr><Nm>${name}</Nm></Cdtr>
<CdtrAcct><Id><IBAN>${to}</IBAN></Id></CdtrAcct>
<RmtInf><Ustrd>invoice 7</Ustrd></RmtInf></CdtTrfTxInf>
</PmtInf></CstmrCdtTrfInitn></Document>`

export const bob = async (bank: Bank) =>
  (await bank.accounts()).accounts.find((account) => account.name === 'Bob Example')?.iban ?? ''
export const has = (text: string, ...parts: string[]) => {
  for (const part of parts) assert.ok(text.includes(part), `${part} in ${text}`)
}

/** Fails when a message that the bank has written is not valid by its ISO schema. */
async function mustBeValid(bank: Bank): Promise<void> {
  if (!existsSync(SCHEMAS)) return
  const files = bank.files('').map((name) => ({ fileName: name, contents: bank.read(name) }))
  const messages = Map.groupBy(files, ({ contents }) => /xsd:([a-z0-9.]+)"/.exec(contents)?.[1])
  for (const [message, xml] of messages) {
    if (message === undefined || UNCOMPARED.includes(message)) continue
    const contents = readFileSync(join(SCHEMAS, `${message}.xsd`), 'utf8')
    const { errors } = await validateXML({ xml, schema: { fileName: 's.xsd', contents } })
    assert.deepEqual(errors, [])
  }
}
