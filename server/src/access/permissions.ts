/**
 * What a caller may do: one catalogue of permissions, and roles as sets of them. Each endpoint
 * declares exactly one.
 */
export const PERMISSIONS = {
  'accounts.read': 'See accounts and their balances',
  'accounts.write': 'Open and rename accounts of the house',
  'bookings.read': 'See bookings',
  'bookings.create': 'Make manual bookings',
  'proofs.create': 'Make proofs of segregation',
  'book-transfers.create': 'Transfer between customers on the books, and cancel that',
  'customers.read': 'See customers',
  'customers.write': 'Create, change and delete customers',
  'customers.erase': 'Erase the personal data of deleted customers',
  'matchings.read': 'See matchings',
  'matchings.write': 'Create, change and delete matchings',
  'venues.read': 'See venues, their balances and protocols',
  'venues.write': 'Add venues, and change what is declared of them',
  'venues.secrets.write': 'Write the secrets of venues, which nobody can read again',
  'assets.write': 'Add assets, and change what is declared of them',
  'declarations.read':
    'See what is declared of venues, assets and price routes, and who said so; ' +
    'and which secrets of venues are stored',
  'treasury.wallets.read': 'See wallets and their balances',
  'treasury.wallets.write': 'Create and change wallets',
  'treasury.routes.read': 'See treasury routes and estimate fees',
  'treasury.routes.write': 'Create and change treasury routes',
  'treasury.routes.allow': 'Put the destination of a route on the allow-list of its venue',
  'treasury.deposits.read': 'See deposits',
  'treasury.deposits.return': 'Return deposits to their sender',
  'treasury.withdrawals.read': 'See withdrawals',
  'treasury.withdrawals.create': 'Create withdrawals',
  'treasury.withdrawals.cancel': 'Cancel withdrawals that have not left',
  'treasury.withdrawals.resolve':
    'Ask a venue about a withdrawal, enter an outcome that it does not report, and decide about ' +
    'payments that a bank holds',
  'treasury.withdrawals.third_party': "Pay to another customer's wallet",
  'treasury.set-aside.decide': 'Try records of venues that were set aside again, and dismiss them',
  'treasury.jobs.read': 'See and preview transfer jobs and their runs',
  'treasury.jobs.write': 'Create, change and stop transfer jobs',
  'settlements.read': 'See settlements and unsettled fills',
  'settlements.create': 'Create, change and cancel settlements',
  'settlements.initiate': 'Send the parts of settlements, and confirm by hand what has moved',
  'assignments.read': 'See assignments of deposits and withdrawals',
  'assignments.create':
    'Assign deposits and withdrawals to accounts, and relate deposits to transfers',
  'assignments.decide': 'Accept or reject assignments',
  'rectifications.read': 'See rectifications of assignments',
  'rectifications.create':
    'Reverse assignments and book others, and take back what a deposit is related to',
  'trading.routes.read': 'See price-stream routes',
  'trading.routes.write': 'Add price-stream routes, and change what is declared of them',
  'trading.quotes.read': 'See quotes',
  'trading.quotes.create': 'Request quotes',
  'trading.executions.read': 'See executions, orders and fills',
  'trading.executions.create': 'Create and cancel executions',
  'trading.executions.resolve':
    'Ask a venue about an execution, and enter an outcome that it does not report',
  'market-data.read': 'See prices',
  'events.read': 'See past and live events of the records that one may see',
  'records.read':
    'See the records of orders and transactions that supervisors ask for, with names of customers',
  'desk.read': 'See how venues and books compare, breaks and halts',
  'breaks.close': 'Close a break with a note',
  'reconciliation.sign-off':
    'Sign off what others have reconciled, day by day, and reopen such a day',
  'periods.close': 'Close a period of the books, and reopen the last one',
  'halts.write': 'Halt withdrawals or trading, freeze accounts, and release them',
  'screening.read': 'See sanctions lists and with what movements are screened',
  'screening.cases.read': 'See what screening has found, and what was decided about it',
  'screening.cases.decide': 'Clear and refuse what screening has found',
  'notes.write': 'Write comments on records that one may see, tag them, and attach files',
  'policy.read': 'See the policy and its history, and what it would say',
  'policy.write': 'Change the policy',
  'approvals.read': 'See what waits for approval, and what became of it',
  'approvals.decide': 'Approve and reject what waits for approval',
  'webhooks.read': 'See webhooks and what was delivered to them',
  'webhooks.write': 'Create and change webhooks, see their secrets, and deliver again',
  'settings.read': 'See settings, their history, and how they differ from the configuration file',
  'settings.margins.write': 'Change the margins of the customer categories',
  'settings.trading.write': 'Change the limits of prices: risk, slippage, distance from the market',
  'settings.treasury.write': 'Change who pays network fees, and the limit of fees of transfer jobs',
  'settings.compliance.write':
    'Change whether assignments wait for a decision, what is screened, and how long personal ' +
    'data is kept',
  'settings.period.write':
    'Change from when on value dates may be booked, and the numbers of the general ledger',
  'settings.calendars.write': 'Change the calendars of banks: days off and cut-off times',
  'settings.brand.write': 'Change name, address, colour and logo of the organisation',
  'settings.mails.write':
    'Change how mails to customers are worded and signed, and how long those about deposits wait',
  'settings.sign-in.write': 'Change who must sign in with a second factor',
  'users.write': 'See, create and change users',
  'api-keys.write': 'See, create, change, rotate and revoke API keys',
  'audit.read': 'See the security log: sign-ins, refusals, and changes of users',
} as const

export type Permission = keyof typeof PERMISSIONS

export const ROLES = [
  'READER',
  'TRADER',
  'TREASURER',
  'ACCOUNTANT',
  'COMPLIANCE',
  'APPROVER',
  'AUDITOR',
  'ADMIN',
] as const
export type Role = (typeof ROLES)[number]

const READS: readonly Permission[] = [
  'accounts.read',
  'bookings.read',
  'customers.read',
  'matchings.read',
  'venues.read',
  'treasury.wallets.read',
  'treasury.routes.read',
  'treasury.deposits.read',
  'treasury.withdrawals.read',
  'treasury.jobs.read',
  'settlements.read',
  'assignments.read',
  'rectifications.read',
  'trading.routes.read',
  'trading.quotes.read',
  'trading.executions.read',
  'market-data.read',
  'events.read',
  'desk.read',
  'approvals.read',
  'settings.read',
]

const SETTINGS_WRITES: readonly Permission[] = [
  'settings.margins.write',
  'settings.trading.write',
  'settings.treasury.write',
  'settings.compliance.write',
  'settings.period.write',
  'settings.calendars.write',
  'settings.brand.write',
  'settings.mails.write',
  'settings.sign-in.write',
]

/** ADMIN alone moves no money: it decides who may. */
export const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  READER: READS,
  TRADER: [
    'accounts.read',
    'customers.read',
    'venues.read',
    'trading.routes.read',
    'trading.quotes.read',
    'trading.quotes.create',
    'trading.executions.read',
    'trading.executions.create',
    'market-data.read',
    'events.read',
    'notes.write',
    'settings.read',
  ],
  TREASURER: [
    ...READS,
    'notes.write',
    'book-transfers.create',
    'treasury.wallets.write',
    'treasury.routes.write',
    'treasury.routes.allow',
    'treasury.deposits.return',
    'treasury.withdrawals.create',
    'treasury.withdrawals.cancel',
    'treasury.withdrawals.resolve',
    'treasury.set-aside.decide',
    'treasury.jobs.write',
    'trading.executions.resolve',
    'settlements.create',
    'settlements.initiate',
    'assignments.create',
    'rectifications.create',
    'matchings.write',
    'breaks.close',
    'halts.write',
    'webhooks.read',
    'webhooks.write',
    'settings.margins.write',
    'settings.treasury.write',
    'settings.calendars.write',
  ],
  ACCOUNTANT: [
    ...READS,
    'notes.write',
    'accounts.write',
    'bookings.create',
    'book-transfers.create',
    'customers.write',
    'matchings.write',
    'assignments.create',
    'rectifications.create',
    'treasury.set-aside.decide',
    'breaks.close',
    'reconciliation.sign-off',
    'periods.close',
    'settings.period.write',
    'proofs.create',
  ],
  COMPLIANCE: [
    ...READS,
    'records.read',
    'notes.write',
    'customers.write',
    'customers.erase',
    'screening.read',
    'screening.cases.read',
    'screening.cases.decide',
    'assignments.decide',
    'treasury.withdrawals.third_party',
    'reconciliation.sign-off',
    'halts.write',
    'settings.compliance.write',
    'settings.mails.write',
    'policy.read',
  ],
  APPROVER: [...READS, 'notes.write', 'policy.read', 'approvals.decide'],
  AUDITOR: [
    ...READS,
    'records.read',
    'proofs.create',
    'audit.read',
    'screening.read',
    'screening.cases.read',
    'policy.read',
    'webhooks.read',
    'declarations.read',
  ],
  ADMIN: [
    'accounts.read',
    'customers.read',
    'venues.read',
    'market-data.read',
    'notes.write',
    'webhooks.read',
    'webhooks.write',
    'users.write',
    'api-keys.write',
    'audit.read',
    'policy.read',
    'policy.write',
    'approvals.read',
    'settings.read',
    ...SETTINGS_WRITES,
    'declarations.read',
    'venues.write',
    'venues.secrets.write',
    'assets.write',
    'trading.routes.write',
  ],
}

const sets = new Map<string, ReadonlySet<string>>()

/** All permissions of these roles; equal roles answer the same set. */
export function permissionsOf(roles: readonly Role[]): ReadonlySet<string> {
  const key = roles.toSorted().join()
  let permissions = sets.get(key)
  if (permissions === undefined) {
    permissions = new Set(roles.flatMap((role) => PERMISSIONS_OF[role]))
    sets.set(key, permissions)
  }
  return permissions
}
