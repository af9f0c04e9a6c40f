/**
 * For the tests of this folder: a workspace with its books and a customer, ways to make things
 * happen, and a mail server.
 */
import { workerCaller } from '../http/index.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { createWorkspace } from '../access/index.ts'
import { systemClock } from '../core/clock.ts'
import type { Clock } from '../core/clock.ts'
import { decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { createCustomer } from '../customers/index.ts'
import { houseAccounts, openBooks, openLane, putAsset } from '../ledger/index.ts'
import type { EventDraft, Lane } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import { testDatabase } from '../store/testing.ts'

export const RECIPIENTS = ['ada@customer.example', 'back.office@customer.example']

export type EventsWorld = Awaited<ReturnType<typeof openEventsWorld>>

export async function openEventsWorld() {
  const database = await testDatabase()
  const { db } = database
  const clock = systemClock
  const lane = openLane(db, clock)
  const workspace = await openWorkspace(db, clock, 'ours')
  const customer = await db.tx((tx) =>
    createCustomer(workerCaller(workspace, 'test'), tx, clock, {
      type: 'RETAIL',
      label: 'Ada',
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
      first_name: 'Ada',
      last_name: 'Lovelace',
      notification_recipients: [...RECIPIENTS],
    }),
  )
  return {
    ...database,
    clock,
    workspace,
    customer,
    otherWorkspace: await openWorkspace(db, clock, 'theirs'),
    publish: (events: EventDraft[]) =>
      lane.commit({ workspace, class: 'fact', by: 'test', events }),
    book: (quantity: string) => bookToSuspense(lane, db, workspace, quantity),
    depositAssigned: (quantity: string): EventDraft => ({
      type: 'deposit.assigned',
      resource_id: newId(),
      data: { customer_id: customer.id, account_id: customer.account_id, quantity, asset: 'EUR' },
    }),
    async close() {
      await lane.close()
      await database.drop()
    },
  }
}

async function openWorkspace(db: Db, clock: Clock, name: string): Promise<WorkspaceId> {
  const workspace = await db.tx(async (tx) => {
    const { id } = await createWorkspace(tx, clock, { name })
    await openBooks({ workspace: id, by: 'test' }, { tx, clock })
    return id
  })
  await putAsset(db, workspace, {
    code: 'EUR',
    label: 'Euro',
    kind: 'FIAT',
    scale: 2,
    circulating_supply: null,
  })
  return workspace
}

/** Answers the booking's id. */
async function bookToSuspense(
  lane: Lane,
  db: Db,
  workspace: WorkspaceId,
  quantity: string,
): Promise<string> {
  const { HOUSE, SUSPENSE } = await houseAccounts(db, workspace)
  const id = newId()
  await lane.commit({
    workspace,
    class: 'command',
    by: 'test',
    ledger: [
      {
        step: 'book',
        booking: {
          id,
          type: 'MANUAL',
          asset: 'EUR',
          legs: [
            { account_id: HOUSE, type: 'DEBIT', quantity: decimal(quantity) },
            { account_id: SUSPENSE, type: 'CREDIT', quantity: decimal(quantity) },
          ],
        },
      },
    ],
  })
  return id
}

type ReceivedMail = { to: string; message: string; message_id: string }

/**
 * A mail server that keeps what it takes; `answer` says what it does with the next mails: take,
 * refuse for good, or not now.
 */
export async function openMailServer() {
  const received: ReceivedMail[] = []
  const state = { answer: 'take' as 'take' | 'refuse' | 'later', asked: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo(_address, _session, done) {
      state.asked += 1
      if (state.answer === 'take') return done()
      done(
        Object.assign(
          new Error(state.answer === 'refuse' ? 'no such mailbox' : 'try again later'),
          { responseCode: state.answer === 'refuse' ? 550 : 451 },
        ),
      )
    },
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const message = Buffer.concat(parts).toString()
          received.push({
            to: session.envelope.rcptTo.map(({ address }) => address).join(),
            message,
            message_id: /^Message-ID: (.+)$/im.exec(message)?.[1] ?? '',
          })
          done()
        })
    },
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    state,
    url: `smtp://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => {
          done()
        })
      }),
  }
}
