/** Venues that answer late, oddly or not at all; and strangers who speak for them. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompactSign } from 'jose'
import { unless } from '../../faults/flow.ts'
import { until } from '../../faults/patience.ts'
import { beside, littleOf } from '../beside.ts'
import { codeOf, shown } from '../client.ts'
import type { Ask } from '../client.ts'
import { homeOf, walletOf } from '../home.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'
import { hugeFile, ODD_FILES } from './bank-files.ts'

const ANSWER_SECONDS = 8
const LATE_MILLISECONDS = 60_000
const FAULTS = ['LATE', 'DOWN', 'CUT', 'LIMIT', 'ODD', 'REFUSE'] as const
/** It does not answer, or says no. */
const SAID = /"error_code":2003|REFUSED_BY_VENUE/

async function sickExchange(target: Target): Promise<Seen> {
  const { kraken } = await homeOf(target)
  const { access_token: token } = await target.newPerson('sick', ['READER'])
  const path = `/api/venues/${kraken}`
  const wrong: string[] = []
  let [longest, others] = [0, 0]
  for (const kind of FAULTS) {
    await target.sandbox.fault('kraken', '*', kind, { remaining: -1, delay_ms: LATE_MILLISECONDS })
    try {
      const { failed, longest_ms, result } = await beside(target, littleOf(target), () =>
        Promise.all(
          ['balances', 'protocols'].map((what) =>
            target.client.ask({ method: 'GET', path: `${path}/${what}`, token }),
          ),
        ),
      )
      others = Math.max(others, longest_ms)
      for (const { status, text, ms } of result) {
        longest = Math.max(longest, ms / 1000)
        const isSaid = status === 200 || SAID.test(text)
        wrong.push(...unless(isSaid, `${kind}: ${status} ${text.slice(0, 150)}`))
      }
      wrong.push(...failed)
    } finally {
      await target.sandbox.control('DELETE', 'faults?venue=kraken')
    }
  }
  return {
    seen:
      `${FAULTS.length} faults: answered within ${longest.toFixed(1)} s; ` +
      `others waited ${others} ms`,
    wrong: [
      ...wrong,
      ...unless(longest <= ANSWER_SECONDS, `an answer took ${longest.toFixed(1)} s`),
    ],
  }
}

type SetAside = { id: string; state: string; reason: string }

/** A good wire behind them must be booked. */
async function oddFiles(target: Target): Promise<Seen> {
  await homeOf(target)
  const { call, sandbox } = target
  const inbox = join(sandbox.dir, 'bank/kontor/inbox')
  const wanted = '77.77'
  const before = (await call<SetAside[]>('GET', '/treasury/set-aside-items')).length
  const start = performance.now()
  const { result, failed, longest_ms } = await beside(target, littleOf(target), async () => {
    for (const [name, content] of Object.entries(ODD_FILES))
      writeFileSync(join(inbox, `00-${name}.xml`), content)
    writeFileSync(join(inbox, '00-huge.xml'), hugeFile())
    await sandbox.control('POST', 'bank/wire', {
      from_name: 'After the odd ones',
      to_iban: (await walletOf(target, 'Bank EUR')).address,
      quantity: wanted,
      currency: 'EUR',
      reference: 'ATTACKED',
    })
    return until('the wire behind them', async () => {
      const deposits = await call<{ quantity: string }[]>('GET', '/treasury/deposits?limit=20')
      return deposits.some(({ quantity }) => quantity === wanted) ? true : undefined
    })
  })
  const items = (await call<SetAside[]>('GET', '/treasury/set-aside-items')).length - before
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  return {
    seen:
      `${Object.keys(ODD_FILES).length + 1} odd files, ${items} shown to a person; ` +
      `the wire behind them booked: ${result} after ${seconds} s; others waited ${longest_ms} ms`,
    wrong: [...failed, ...unless(items > 0, 'no odd file is shown to a person')],
  }
}

/** A venue's message that the venue did not sign. */
async function forgedPushes(target: Target): Promise<Seen> {
  await homeOf(target)
  const venues = await target.call<{ id: string; kind: string }[]>('GET', '/venues')
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const payload = JSON.stringify({ eventType: 'transaction.created', data: { id: 'x' } })
  const jws = await new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg: 'RS512' })
    .sign(own.privateKey)
  const [head = '', , signature = ''] = jws.split('.')
  const signatures = ['', 'a.b.c', `${head}..${signature}`, `${head}..`, `${head}..${signature}.x`]
  const wrong: string[] = []
  let count = 0
  for (const { id } of venues)
    for (const value of signatures) {
      const request: Ask = {
        method: 'POST',
        path: `/api/venues/${id}/push`,
        payload,
        headers: { 'fireblocks-webhook-signature': value },
      }
      const answer = await target.client.ask(request)
      count += 1
      wrong.push(...unless([1001, 3001].includes(codeOf(answer) ?? 0), shown(request, answer)))
    }
  return { seen: `${count} messages, ${wrong.length} taken`, wrong }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API10',
  name,
  does,
  wanted,
  run,
})

export const VENUES: readonly Attack[] = [
  row(
    'an exchange that is late, down, cut off, odd or refuses',
    'asks for balances and protocols while the exchange is sick in each way',
    `200, or the venue’s failure, within ${ANSWER_SECONDS} s; others fail 0 times`,
    sickExchange,
  ),
  row(
    'a bank that sends nonsense',
    'puts odd files of up to 16 MB before a good one',
    'the good one is booked; odd ones are shown to a person; others fail 0 times',
    oddFiles,
  ),
  row('messages that the venue did not sign', 'pushes forged messages', '0 taken', forgedPushes),
]
