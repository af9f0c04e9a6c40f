/** Commands that others decide about, in words, and the page that has their record. */
import type { DataOf } from '@kontor/client'
import { t } from '../../language/index.ts'
import type { Page } from '../index.ts'
import { inWords } from '../../parts/code-words.ts'

export const COMMANDS = [
  'WITHDRAWAL',
  'ROUTE_CHANGE',
  'JOB_CHANGE',
  'RECTIFICATION',
  'MANUAL_BOOKING',
  'OUTCOME_RESOLUTION',
  'HALT_RELEASE',
  'PERIOD_CHANGE',
  'USER_CHANGE',
  'API_KEY_CHANGE',
  'SETTING_CHANGE',
  'VENUE_CHANGE',
  'WEBHOOK_CHANGE',
  'POLICY_CHANGE',
] as const satisfies readonly DataOf<'get', '/approvals'>[number]['command'][]

/** `made`: it makes the record. */
type Operation = { says: string; page?: Page['path']; made?: true }

const ROUTES = '/treasury/routes'
const WALLETS = '/treasury/wallets'
const JOBS = '/treasury/jobs'
const WITHDRAWALS = '/treasury/withdrawals'
const USERS = '/administration/users'
const KEYS = '/administration/api-keys'
const WEBHOOKS = '/administration/webhooks'

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  createWallet: { says: t('Create a wallet'), page: WALLETS, made: true },
  changeWallet: { says: t('Change a wallet'), page: WALLETS },
  createTreasuryRoute: { says: t('Create a treasury route'), page: ROUTES, made: true },
  changeTreasuryRoute: { says: t('Change a treasury route'), page: ROUTES },
  allowTreasuryRoute: { says: t('Allow the destination of a treasury route'), page: ROUTES },
  createTransferJob: { says: t('Create a transfer job'), page: JOBS, made: true },
  changeTransferJob: { says: t('Change a transfer job'), page: JOBS },
  rectifyDeposit: { says: t('Rectify a deposit'), page: '/treasury/deposits' },
  rectifyWithdrawal: { says: t('Rectify a withdrawal'), page: WITHDRAWALS },
  createBooking: { says: t('Book by hand'), page: '/books/bookings', made: true },
  createBookTransfer: {
    says: t('Transfer between customers'),
    page: '/book-transfers',
    made: true,
  },
  resolveWithdrawal: { says: t('Enter the outcome of a withdrawal'), page: WITHDRAWALS },
  decideWithdrawalReview: { says: t('Decide about a payment under review'), page: WITHDRAWALS },
  resolveExecution: { says: t('Enter the outcome of an execution'), page: '/trading/executions' },
  confirmSettlementPart: {
    says: t('Confirm by hand that a part of a settlement has moved'),
    page: '/trading/settlements',
  },
  putHalt: { says: t('Release a halt') },
  freezeAccount: { says: t('Release a frozen account'), page: '/books/accounts' },
  closePeriod: { says: t('Close a period'), page: '/books/periods', made: true },
  reopenPeriod: { says: t('Reopen a period'), page: '/books/periods' },
  createUser: { says: t('Create a user'), page: USERS, made: true },
  changeUser: { says: t('Change a user'), page: USERS },
  inviteUser: { says: t('Invite a user'), page: USERS },
  resetFactors: { says: t('Remove all second factors of a user'), page: USERS },
  createSignInProvider: { says: t('Declare a provider of single sign-on') },
  changeSignInProvider: { says: t('Change a provider of single sign-on') },
  linkUserIdentity: { says: t('Link a user to a person at a provider'), page: USERS },
  unlinkUserIdentity: { says: t('Part a user from a person at a provider'), page: USERS },
  createApiKey: { says: t('Create an API key'), page: KEYS, made: true },
  changeApiKey: { says: t('Change an API key'), page: KEYS },
  rotateApiKey: { says: t('Rotate an API key'), page: KEYS },
  putSetting: { says: t('Change a setting') },
  putDeclaration: { says: t('Change a venue, an asset or a price route') },
  removeDeclaration: { says: t('Remove a venue or a price route') },
  putVenueSecret: { says: t('Write a secret of a venue'), page: '/venues' },
  createWebhook: { says: t('Create a webhook'), page: WEBHOOKS, made: true },
  changeWebhook: { says: t('Change a webhook'), page: WEBHOOKS },
  resumeWebhook: { says: t('Resume a webhook'), page: WEBHOOKS },
  rotateWebhookSecret: { says: t('Make a new secret for a webhook'), page: WEBHOOKS },
  putPolicy: { says: t('Change the policy') },
}

type Asked = {
  command: string
  operation: string | null
  record_id: string | null
  result_id: string | null
}

/** What was asked for; a withdrawal is no operation. */
export const askedWords = ({ command, operation }: Pick<Asked, 'command' | 'operation'>): string =>
  OPERATIONS[operation ?? '']?.says ?? inWords(command)

/** Where the record is shown that is changed. */
export function changedPlace({ operation, record_id }: Asked): string | undefined {
  const { page, made } = OPERATIONS[operation ?? ''] ?? {}
  if (page === undefined || made === true || record_id === null) return undefined
  return `${page}/${record_id}`
}

/** Where the record is shown that was made or changed. */
export function resultPlace({ operation, record_id, result_id }: Asked): string | undefined {
  const { page, made } = OPERATIONS[operation ?? ''] ?? {}
  if (page === undefined || result_id === null) return undefined
  return made === true || result_id === record_id ? `${page}/${result_id}` : undefined
}
