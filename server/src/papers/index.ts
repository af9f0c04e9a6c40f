/**
 * What people keep or hand over: statements, trial balances, reconciled days and confirmations, as
 * PDF; statements as camt.053, too.
 */
import { MAIL_LANGUAGES } from '../access/index.ts'
import type { MailLanguage } from '../access/index.ts'
import type { AccountId, CustomerId, DepositId, WithdrawalId, WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { closed, oneOf, optional, queryId } from '../http/index.ts'
import type { Call, Endpoint, ListQuery, Papers, Principal } from '../http/index.ts'
import type { Execution } from '../trading/index.ts'
import type { AssignedMovement } from '../treasury/index.ts'
import { MOST_ENTRIES, statementXml } from './camt.ts'
import { assertHasPart, depositPdf, paymentPdf } from './confirmations.ts'
import { assertTraded, contractNotePdf } from './contract-notes.ts'
import { withEntries } from './entries.ts'
import type { PapersApp } from './paper.ts'
import { MOST_DAY_LINES, reconciliationDayPdf } from './reconciliation-day.ts'
import { MOST_BOOKINGS, statementPdf } from './statement.ts'
import { MOST_LINES, trialBalancePdf } from './trial-balance.ts'

type Asked = {
  principal: Principal
  query: { account_id?: AccountId; customer_id?: CustomerId }
}
type Listed = {
  principal: Principal
  params: { account_id: AccountId }
  query: { language?: MailLanguage }
}
type Paper = {
  says: string
  papers: Papers
  query?: NonNullable<Endpoint['query']>
  /** What is told of the rows of a list, in every form. */
  rows?(asked: Listed, list: never): Promise<ListQuery<Json>>
  /** What the query demands of the data, in every form. Throws what refuses the request. */
  check?(asked: Asked, data: { id: string }): Promise<void>
}

/**
 * These endpoints with their PDF, which everyone gets who gets their data. They are declared on
 * lower floors than what a paper is written with: the customer, the language, the bank's name.
 */
export function withPapers(app: PapersApp, endpoints: readonly Endpoint[]): Endpoint[] {
  const papers = papersOf(app)
  return endpoints.map((endpoint) => {
    const paper = papers[endpoint.operation_id]
    return paper === undefined ? endpoint : withPaper(endpoint, paper)
  })
}

const LANGUAGE = oneOf(
  MAIL_LANGUAGES,
  "Of the paper, and of what it tells of each line; when absent the customer's, else that of the " +
    'setting `mail_language`',
)

function withPaper(
  endpoint: Endpoint,
  { says, rows, check, papers, query: more }: Paper,
): Endpoint {
  const query = closed({
    ...endpoint.query?.properties,
    ...more?.properties,
    language: optional(LANGUAGE),
  })
  const parts = { papers, query }
  const description = [endpoint.description, says].filter((text) => text !== undefined).join(' ')
  if (rows !== undefined && endpoint.effect === 'list') {
    const list = async (call: Call<never, never, never>): Promise<ListQuery<Json>> =>
      rows(call as unknown as Listed, (await endpoint.list(call)) as never)
    return { ...endpoint, ...parts, description, list }
  }
  if (check === undefined || endpoint.effect !== 'read')
    return { ...endpoint, ...parts, description }
  const handle = async (call: Call<never, never, never>): Promise<unknown> => {
    const data = await endpoint.handle(call)
    await check(call as unknown as Asked, data as { id: string })
    return data
  }
  return { ...endpoint, ...parts, description, handle }
}

function papersOf(app: PapersApp): Readonly<Record<string, Paper>> {
  return {
    listStatementLines: {
      says:
        `PDF by \`Accept: application/pdf\`, for at most ${MOST_BOOKINGS} bookings; ` +
        `camt.053.001.08 by \`Accept: application/xml\`, for at most ${MOST_ENTRIES}: refused ` +
        'with RANGE where there are more. What camt.053 cannot write is refused: an asset that ' +
        'is no currency of 3 capital letters (FORMAT), that has more than 5 decimals (SCALE), ' +
        'an amount of more than 18 digits (RANGE); `assets` names those that are wanted.',
      rows: ({ principal: { workspace }, params: { account_id }, query: { language } }, list) =>
        withEntries(app, workspace, { account_id, language }, list),
      papers: {
        pdf: (call, list) => statementPdf(app, call as never, list as never),
        xml: (call, list) => statementXml(app, call as never, list as never),
      },
    },
    getTrialBalance: {
      says: `PDF by \`Accept: application/pdf\`, for at most ${MOST_LINES} lines.`,
      papers: { pdf: (call, data) => trialBalancePdf(app, call as never, data as never) },
    },
    getReconciliationDay: {
      says: `PDF by \`Accept: application/pdf\`, for at most ${MOST_DAY_LINES} lines.`,
      papers: { pdf: (call, data) => reconciliationDayPdf(app, call as never, data as never) },
    },
    getWithdrawal: {
      ...confirmation('once the payment is made'),
      papers: { pdf: (call, data) => paymentPdf(app, call as never, data as never) },
      check: ({ principal: { workspace }, query: { account_id } }, { id }) =>
        checkPart(app, workspace, { withdrawal_id: id as WithdrawalId }, account_id),
    },
    getDeposit: {
      ...confirmation('once the deposit is booked'),
      papers: { pdf: (call, data) => depositPdf(app, call as never, data as never) },
      check: ({ principal: { workspace }, query: { account_id } }, { id }) =>
        checkPart(app, workspace, { deposit_id: id as DepositId }, account_id),
    },
    getExecution: {
      says:
        'With `Accept: application/pdf`: a contract note for the customer, once it has ended and ' +
        'something was bought or sold. Where several customers have a part, `customer_id` says ' +
        'whose part; a customer without one is 4004. Refused: STATE_NOT_ALLOWED, REQUIRED, ' +
        'PERMISSION_REQUIRED (`customers.read`).',
      query: closed({ customer_id: queryId() }),
      papers: { pdf: (call, data) => contractNotePdf(app, call as never, data as never) },
      check: async ({ query: { customer_id } }, execution) => {
        if (customer_id !== undefined) assertTraded(execution as unknown as Execution, customer_id)
      },
    },
  }
}

async function checkPart(
  app: PapersApp,
  workspace: WorkspaceId,
  of: AssignedMovement,
  account_id: AccountId | undefined,
): Promise<void> {
  if (account_id !== undefined) await assertHasPart(app, workspace, of, account_id)
}

const confirmation = (once: string): Pick<Paper, 'says' | 'query'> => ({
  says:
    `With \`Accept: application/pdf\`: a confirmation for the customer, ${once}. Where several ` +
    'accounts have a part, `account_id` says whose part; an account without one is 4004. ' +
    'Refused: STATE_NOT_ALLOWED, REQUIRED, PERMISSION_REQUIRED (`customers.read`).',
  query: closed({ account_id: queryId() }),
})
