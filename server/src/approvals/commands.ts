/**
 * Which operations of the API are commands that the policy judges, and why the others are none.
 * Each that changes something stands in one of the two tables; else the service does not start.
 */
import type { Command } from '../ledger/index.ts'

export type Asked = {
  params: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
}

export type JudgedOperation = {
  command: Command
  /** Of an operation that is a command only with such a body. */
  when?(asked: Asked): boolean
  /** The field of the path that names the record that is changed; else the body's `id` does. */
  record?: string
  /** What it moves, or what the record moved. */
  about?: 'BOOKING' | 'TRANSFER' | 'DEPOSIT' | 'WITHDRAWAL'
  /** The field that names its treasury route. */
  route?: { in: 'params' | 'body'; field: string }
  /** Fields of the body that are kept nowhere. Who asked sends the request again once approved. */
  secrets?: readonly string[]
  /** Its answer is shown once, to who asked. */
  shown_once?: true
  /** The lane compares the policy that let it pass: so a known one will do. */
  lane?: true
}

const USER: JudgedOperation = { command: 'USER_CHANGE', secrets: ['password'] }
const ONE_USER: JudgedOperation = { command: 'USER_CHANGE', record: 'user_id' }
const PROVIDER: JudgedOperation = { command: 'USER_CHANGE', secrets: ['client_secret'] }
const ROUTE: JudgedOperation = {
  command: 'ROUTE_CHANGE',
  record: 'route_id',
  route: { in: 'params', field: 'route_id' },
}
const JOB: JudgedOperation = { command: 'JOB_CHANGE', route: { in: 'body', field: 'route' } }
const DEPOSIT = { record: 'deposit_id', about: 'DEPOSIT' } as const
const WITHDRAWAL = { record: 'withdrawal_id', about: 'WITHDRAWAL' } as const
const KEY: JudgedOperation = { command: 'API_KEY_CHANGE', record: 'api_key_id' }
const WEBHOOK: JudgedOperation = { command: 'WEBHOOK_CHANGE', record: 'webhook_id' }

export const JUDGED_OPERATIONS: Readonly<Record<string, JudgedOperation>> = {
  createWallet: { command: 'ROUTE_CHANGE' },
  changeWallet: { command: 'ROUTE_CHANGE', record: 'wallet_id' },
  createTreasuryRoute: { command: 'ROUTE_CHANGE' },
  changeTreasuryRoute: ROUTE,
  allowTreasuryRoute: ROUTE,
  createTransferJob: JOB,
  changeTransferJob: JOB,
  rectifyDeposit: { command: 'RECTIFICATION', ...DEPOSIT },
  rectifyWithdrawal: { command: 'RECTIFICATION', ...WITHDRAWAL },
  createBooking: { command: 'MANUAL_BOOKING', about: 'BOOKING', lane: true },
  createBookTransfer: { command: 'MANUAL_BOOKING', about: 'TRANSFER' },
  resolveWithdrawal: { command: 'OUTCOME_RESOLUTION', ...WITHDRAWAL },
  decideWithdrawalReview: { command: 'OUTCOME_RESOLUTION', ...WITHDRAWAL },
  resolveExecution: { command: 'OUTCOME_RESOLUTION', record: 'execution_id' },
  confirmSettlementPart: { command: 'OUTCOME_RESOLUTION', record: 'settlement_id' },
  putHalt: { command: 'HALT_RELEASE', when: ({ body }) => body['halted'] === false },
  freezeAccount: {
    command: 'HALT_RELEASE',
    record: 'account_id',
    when: ({ body }) => body['frozen'] === false,
  },
  closePeriod: { command: 'PERIOD_CHANGE' },
  reopenPeriod: { command: 'PERIOD_CHANGE', record: 'period_id' },
  createUser: USER,
  changeUser: USER,
  inviteUser: ONE_USER,
  resetFactors: ONE_USER,
  createSignInProvider: PROVIDER,
  changeSignInProvider: PROVIDER,
  linkUserIdentity: ONE_USER,
  unlinkUserIdentity: ONE_USER,
  createApiKey: { command: 'API_KEY_CHANGE', shown_once: true },
  changeApiKey: KEY,
  rotateApiKey: { ...KEY, shown_once: true },
  putSetting: { command: 'SETTING_CHANGE' },
  putDeclaration: { command: 'VENUE_CHANGE' },
  removeDeclaration: { command: 'VENUE_CHANGE' },
  putVenueSecret: { command: 'VENUE_CHANGE', record: 'venue_id', secrets: ['value'] },
  createWebhook: { command: 'WEBHOOK_CHANGE' },
  changeWebhook: { command: 'WEBHOOK_CHANGE' },
  resumeWebhook: WEBHOOK,
  rotateWebhookSecret: WEBHOOK,
  putPolicy: { command: 'POLICY_CHANGE' },
}

const SENDING = 'each withdrawal that it sends is judged by itself'
const OWN = 'it concerns the caller alone'
const SAFER = 'it takes something away, and nobody should have to wait for that'
const WORK = 'it assigns what has arrived to customers; a rectification, which undoes it, is judged'
const TRADING = 'it trades within the limits of the desk; what leaves a venue is judged'
const ASKS = 'it asks or repeats, and changes no outcome'
const WORDS = 'it writes down what people say'
const PERSON = 'another person than who did the work does it anyway'

export const NOT_JUDGED: Readonly<Record<string, string>> = {
  endSession: SAFER,
  logout: OWN,
  beginAuthenticator: OWN,
  confirmFactor: OWN,
  removeFactor: OWN,
  renameFactor: OWN,
  beginPasskey: OWN,
  confirmPasskey: OWN,
  askForPasskeyAgain: OWN,
  renewRecoveryCodes: OWN,
  confirmSession: OWN,
  testSignInProvider: ASKS,
  removeSignInProvider: SAFER,
  revokeApiKey: SAFER,
  openAccount: 'an account that is new is empty',
  renameAccount: WORDS,
  createCustomer: 'a customer who is new has nothing',
  changeCustomer: 'money leaves to wallets and routes, whose changes are judged',
  deleteCustomer: 'only one who has nothing left can be deleted',
  eraseCustomer: 'the law decides about it: only what need not be kept goes',
  cancelBookTransfer: SAFER,
  createMatching: WORK,
  changeMatching: WORK,
  deleteMatching: WORK,
  assignDeposit: WORK,
  decideDepositAssignment: PERSON,
  assignWithdrawal: WORK,
  decideWithdrawalAssignment: PERSON,
  relateDeposit: WORK,
  unrelateDeposit: WORK,
  estimateFee: ASKS,
  previewPayment: ASKS,
  previewTransferJob: ASKS,
  returnDeposit: SENDING,
  createWithdrawal: SENDING,
  createPayment: SENDING,
  retryPayment: SENDING,
  prepareWithdrawals: SENDING,
  submitWithdrawals: SENDING,
  cancelWithdrawal: SAFER,
  cancelPayment: SAFER,
  giveUpBatch: SAFER,
  recheckWithdrawal: ASKS,
  retrySetAsideItem: ASKS,
  dismissSetAsideItem: 'what was set aside stays visible',
  createQuote: TRADING,
  createExecution: TRADING,
  cancelExecution: TRADING,
  recheckExecution: ASKS,
  createSettlement: 'nothing moves until it is initiated',
  changeSettlementFills: 'nothing moves until it is initiated',
  coverSettlement: 'nothing moves until it is initiated',
  netSettlementAgain: 'nothing moves until it is initiated',
  cancelSettlement: SAFER,
  initiateSettlement: SENDING,
  linkSettlementArrival: WORK,
  dropSettlementArrival: WORK,
  reconcile: ASKS,
  closeBreak: 'another person signs the day off',
  signOffReconciliationDay: PERSON,
  reopenReconciliationDay: 'it is told with its reason, and another person signs the day again',
  makeProof: 'it says what is booked',
  enterDailyPrice: 'reports are valued at it and nothing moves; it stays, with who and from where',
  writeComment: WORDS,
  deleteComment: WORDS,
  addTag: WORDS,
  removeTag: WORDS,
  attachFile: WORDS,
  deleteAttachment: WORDS,
  readNotifications: OWN,
  putNotificationPreferences: OWN,
  seeNews: OWN,
  decideApproval: PERSON,
  decideScreeningCase: 'compliance decides about it; what it lets go on was judged before',
  giveTravelRuleData: 'words about a withdrawal; what it lets go on was judged before',
  withdrawApproval: SAFER,
  saveView: OWN,
  changeView: OWN,
  deleteView: OWN,
  deleteWebhook: SAFER,
  pauseWebhook: SAFER,
  testWebhook: ASKS,
  redeliverRange: ASKS,
  redeliver: ASKS,
}
