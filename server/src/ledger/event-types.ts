/**
 * Every event there is, `<resource>.<past tense>`, and its title. The type of a draft is one of
 * these names, so an event that is missing here does not compile. docs/generated/events.md is
 * written from both tables.
 */
export const EVENTS = {
  'booking.created': 'A booking was made',
  'account.opened': 'A user opened an account of the house',
  'account.renamed': 'A user renamed an account of the house',
  'account.overdrawn':
    'A fact took an account below its balance floor. ' +
    'Further debits are refused until credits cover it',
  'account.frozen': 'The account was frozen. Requests can take nothing from it',
  'account.unfrozen': 'The account was released',
  'halt.set': 'Withdrawals or trading were halted',
  'halt.released': 'A halt was released',
  'break.opened': 'A venue holds another amount than the books say, and timing does not explain it',
  'break.closed': 'A break is resolved, or a user closed it with a note',
  'period.closed': 'A user closed a period of the books',
  'period.reopened': 'A user reopened the last closed period',
  'reconciliation_day.signed_off': 'A user signed off a day of a venue',
  'reconciliation_day.reopened': 'A user reopened a day that was signed off',
  'venue.connected': 'The opening balance of a venue was booked',
  'venue.fell_silent': 'The venue has not answered for a while, or cannot be connected',
  'venue.answered_again': 'The venue answers again',
  'venue.secret_written': 'A secret of the venue was written',
  'venue.opening_balance_adjusted':
    'The venue reversed a movement of its opening balance. The difference was booked',
  'set_aside_item.opened':
    'A record of a venue could not be understood or booked. It was set aside, and the others go on',
  'set_aside_item.resolved': 'The record was understood after all, and taken into the books',
  'set_aside_item.dismissed': 'A user decided that the record needs no further attention',
  'customer.created': 'A customer was created with an account',
  'customer.changed': 'Fields of a customer were changed',
  'customer.deleted': 'A customer was deleted',
  'customer.erased': 'The personal data of a customer was erased. The books stay',
  'book_transfer.created': 'A transfer between customers was accepted and its amount held',
  'book_transfer.done': 'A transfer between customers was booked',
  'book_transfer.canceled':
    'A transfer between customers was canceled. The amount held for it was released',
  'wallet.created':
    'A wallet was created. One that its venue makes can be used once it is activated',
  'wallet.activated': 'The venue has made the wallet. It can be used',
  'wallet.failed': 'The venue refused to make the wallet',
  'wallet.changed': 'Fields of a wallet were changed',
  'route.created': 'A treasury route was created',
  'route.changed': 'Fields of a treasury route were changed',
  'route.collection_created': 'The venue created the allow-list collection of the route',
  'route.collection_refused':
    'The venue refused to create the allow-list collection. The next save or allow tries again',
  'route.allowlist_requested': 'The venue was asked to allow the destination of the route',
  'route.allowlist_approved': 'The venue allows the destination',
  'route.allowlist_refused': 'The venue refused to allow the destination',
  'route.allowlist_removed': 'The venue no longer allows the destination',
  'declaration.changed':
    'Something else is declared of a venue, an asset or a price route, or it is no longer declared',
  'declaration.drifted': 'Something else is declared than the configuration file says',
  'declaration.drift_ended':
    'The declaration is what the configuration file says, or somebody decided that it stays',
  'setting.changed':
    'A setting has another value, or somebody decided that it stays although the file says another',
  'setting.drifted': 'A setting has another value than the configuration file says',
  'setting.drift_ended':
    'The setting is what the configuration file says, or somebody decided that it stays',
  'matching.created': 'A matching was created',
  'matching.changed': 'Fields of a matching were changed',
  'matching.deleted': 'A matching was deleted',
  'deposit.detected': 'The venue shows an incoming deposit. It may still fail',
  'deposit.frozen':
    'The venue has the deposit and keeps it frozen. It is booked when it is released',
  'deposit.received': 'The deposit is final and was booked',
  'deposit.assigned': 'The deposit, or a part of it, was booked to an account',
  'deposit.assignment_requested': 'A part of the deposit waits for a decision on its assignment',
  'deposit.assignment_rejected': 'The assignment of a part was rejected',
  'deposit.rectified': 'Assignments were reversed and booked to other accounts',
  'deposit.succeeded': "An own transfer, or a venue's payment for a settlement, has arrived",
  'deposit.related': 'A user related the deposit to the transfer or settlement that it is from',
  'deposit.unrelated': "The deposit is not the arrival that it was taken for. It is nobody's again",
  'deposit.return_requested': 'The deposit, or a part of it, is about to go back to its sender',
  'deposit.returned': 'The deposit, or a part of it, has gone back to its sender',
  'deposit.return_failed': 'The return did not leave. What it was to bring back is still here',
  'deposit.failed': 'The deposit will not arrive',
  'deposit.reinstated': 'A deposit that had failed or was reversed is final after all',
  'deposit.reversed': 'The venue took a final deposit back. Its bookings were reversed',
  'withdrawal.created': 'The withdrawal was accepted and its amount blocked',
  'withdrawal.approved': 'All approvals are there: it is sent',
  'withdrawal.travel_rule_given': 'Somebody gave its travel-rule data',
  'withdrawal.sent_after_end': 'The venue sent it after it had ended here',
  'withdrawal.failed_after_success':
    'A user had resolved it as SUCCESS, but the venue reports that it failed',
  'withdrawal.discovered':
    'The venue shows a withdrawal that was not requested here. Its origin is EXTERNAL',
  'withdrawal.fee_adjusted':
    'The venue charged another fee than was booked. The difference was booked',
  'withdrawal.submitted': 'The venue has accepted the withdrawal',
  'withdrawal.review_started': 'The venue holds the withdrawal for review',
  'withdrawal.review_decided':
    'A user has decided what is to be done at the bank with a payment that it holds',
  'withdrawal.outcome_unknown': 'The withdrawal may have left. Its outcome is not known yet',
  'withdrawal.succeeded': 'The withdrawal has left and was booked',
  'withdrawal.failed': 'The withdrawal failed at the venue. The blocked amount was released',
  'withdrawal.rejected': 'The venue refused the withdrawal. The blocked amount was released',
  'withdrawal.canceled': 'The withdrawal was canceled. The blocked amount was released',
  'withdrawal.assigned': 'A part of the withdrawal was booked to an account',
  'withdrawal.assignment_requested':
    'A part of the withdrawal waits for its end, or for a decision, to be assigned',
  'withdrawal.assignment_rejected': 'The assignment of a part was rejected',
  'withdrawal.rectified': 'Assignments were reversed and booked to other accounts',
  'settlement.created': 'Fills were claimed and netted',
  'settlement.changed': 'The fills or parts of the settlement were changed',
  'settlement.initiated': 'Outgoing parts were sent, and incoming parts are expected',
  'settlement.part_settled': 'A part has moved, or a user confirmed it',
  'settlement.part_failed': 'A part did not leave. It can be initiated again',
  'settlement.failed': 'A part has failed and no other part is in flight',
  'settlement.netted_again':
    'Busted fills were taken out of the nets of a settlement that had been initiated',
  'settlement.expected_arrival_changed':
    'For a part confirmed by hand, a deposit was named as its payment, ' +
    'or the payment is no longer expected',
  'settlement.settled': 'Every part has moved. The fills are settled',
  'settlement.canceled': 'The settlement was canceled before anything moved. Its fills are free',
  'payment.created': 'A payment was ordered. It is sent when its time has come',
  'payment.sent': 'The withdrawal of the payment was made',
  'payment.refused': 'The payment could not be sent. It waits for a person',
  'payment.retried': 'A user ordered a refused payment once more',
  'payment.canceled': 'The payment was canceled before it was sent',
  'batch.prepared': 'A batch of payments was prepared and its amounts blocked',
  'batch.submitted': 'Transactions of the batch were submitted. Their withdrawals were made',
  'batch.given_up': 'A user gave the batch up. What was not submitted is released',
  'batch.expired': 'The time of the batch is over. What was not submitted is released',
  'job.created': 'A transfer job was created',
  'job.changed': 'A transfer job was changed, activated or stopped',
  'job.transferred': 'A run of the job made a withdrawal',
  'job.skipped': 'A run of the job moved nothing',
  'job.failed': 'A run of the job failed',
  'execution.created': 'The execution was accepted and its amount blocked',
  'execution.triggered': 'The market has reached the trigger. The order goes out',
  'execution.cancel_requested': 'A user asked to cancel the execution. The venue is asked',
  'execution.cancel_refused': 'The venue did not cancel the order. The execution goes on',
  'execution.filled': 'A fill was booked',
  'execution.filled_late': 'A fill was booked after the execution had ended',
  'execution.fill_busted': 'The venue busted a trade. Its bookings were reversed',
  'fill.recorded': 'A trade that was made outside this service was booked',
  'fill.busted':
    'The venue busted a trade that was made outside this service. Its bookings were reversed',
  'execution.resumed': 'The outcome of the order is known. The execution goes on',
  'execution.outcome_unknown':
    "The venue's answer was not received. The outcome of the order is not known yet",
  'execution.resolved': 'A user entered the outcome of the order, which the venue did not report',
  'execution.resolution_confirmed': 'The venue reports what a user had entered',
  'execution.resolution_contradicted':
    'The venue reports something else than a user had entered. It is not booked',
  'execution.resolution_corrected':
    "The venue's report was booked in place of what a user had entered",
  'execution.done': 'The execution is filled',
  'execution.canceled': 'The execution ended with a part or nothing filled',
  'execution.expired': 'The time of the execution ended before it was filled',
  'execution.failed': 'The execution ended without a fill',
  'screening_case.opened':
    'A sanctions list names a party of a movement, which waits for a decision',
  'screening_case.extended': 'A later version of a list names more about a movement that waits',
  'screening_case.cleared': 'A user decided that the listed one is somebody else',
  'screening_case.refused': 'A user refused what a sanctions list was found to name',
  'screening_list.loaded': 'A version of a sanctions list was loaded',
  'policy.changed': 'The policy was changed',
  'approval.requested': 'The policy asks for approval. Nothing is done before that',
  'approval.decided': 'A user has approved or rejected it',
  'approval.approved': 'All approvals are there',
  'approval.rejected': 'A user has rejected it. Nothing is done',
  'approval.expired': 'Nobody decided in time. Nothing is done',
  'approval.withdrawn': 'It is no longer asked for. Nothing is done',
  'approval.executed': 'What was approved was done',
  'approval.failed': 'What was approved was refused when it was to be done',
  'comment.written': 'A user wrote a comment on the record',
  'comment.deleted': 'A user deleted a comment of their own',
  'tag.added': 'A user tagged the record',
  'tag.removed': 'A user took a tag off the record',
  'attachment.added': 'A user attached a file to the record',
  'attachment.deleted': 'A user deleted a file that they had attached',
} as const

export type EventType = keyof typeof EVENTS

/** What an event carries in `data`, where the record alone does not say it. */
export const EVENT_DATA: Readonly<Partial<Record<EventType, string>>> = {
  'booking.created': 'the booking with its legs',
  'account.opened': 'its type and label',
  'account.renamed': 'the label, and the one before',
  'account.frozen': 'the reason',
  'account.unfrozen': 'the reason',
  'customer.erased': 'its account, and the erasure',
  'halt.set': 'where and why',
  'halt.released': 'where and why',
  'period.closed':
    'its last day, who closed it, the hash of the frozen trial balance, and where the chain of ' +
    'bookings stood',
  'period.reopened': 'its last day, who reopened it, the reason, and the hash of what was frozen',
  'reconciliation_day.signed_off': 'the venue, the day, who signed, and the note',
  'reconciliation_day.reopened': 'the venue, the day, who reopened it, and the reason',
  'deposit.received': 'how much of it is an own transfer, when only a part is',
  'deposit.related':
    'the settlement and its part, or how much of it is an own transfer, when only a part is',
  'deposit.unrelated': 'the withdrawal or the part of a settlement, and the reason',
  'deposit.return_requested': 'the withdrawal, its quantity, and the account whose part it is',
  'deposit.returned': 'the withdrawal, its quantity, and the account whose part it is',
  'deposit.return_failed': 'the withdrawal, its quantity, and the account whose part it is',
  'withdrawal.review_decided': 'what the bank found, the decision, who decided and why',
  'withdrawal.sent_after_end': 'the withdrawal under which it is booked',
  'withdrawal.failed_after_success':
    'the deposit by which the amount comes back, and what the venue reported',
  'settlement.changed': 'the state of the settlement',
  'settlement.netted_again': 'the nets as they are now, and the lines that corrected them',
  'declaration.changed':
    'the key, the kind, the version, whether it is still declared, by whom and by which hand',
  'declaration.drifted': 'the key, the kind, since when, and by whom',
  'declaration.drift_ended': 'the key, the kind, since when it had differed, and by whom',
  'venue.fell_silent': 'since when',
  'venue.answered_again': 'since when it had not answered',
  'venue.secret_written': 'the name of the secret, and by whom it was written',
  'setting.changed':
    'the key, the version, the value before and after, by whom and by which hand, ' +
    'and the value of the configuration file that somebody decided against',
  'setting.drifted': 'the key, since when, and by whom',
  'setting.drift_ended': 'the key, since when it had differed, and by whom',
  'policy.changed': 'the version, by whom, and the note',
  'approval.requested':
    'the command, the record, the rule, who asked, until when, who may approve and who may not',
  'approval.decided': 'the command, the record, the decision, by whom, and the note',
  'payment.sent': 'the withdrawal',
  'payment.refused': 'the reason',
  'payment.canceled': 'the reason',
  'job.skipped': 'the reason',
  'job.failed': 'the reason',
  'execution.created': 'the execution',
  'execution.resolved': 'who, by what evidence, and the trades that were entered',
  'screening_list.loaded':
    'the list, the number of the version, how many entries it has, how many were added, changed, ' +
    'removed and kept, and how many records could not be read',
  'comment.written': 'the kind of the record, the comment without its text, and who is mentioned',
  'comment.deleted': 'the kind of the record, and the comment',
  'tag.added': 'the kind of the record, and the tag without its word',
  'tag.removed': 'the kind of the record, and the tag without its word',
  'attachment.added': 'the kind of the record, and the file without its name',
  'attachment.deleted': 'the kind of the record, and the file',
  'execution.resolution_contradicted': 'what the venue reports, and who had entered what',
}

/** What may stand after `<resource>.`. */
export type EventOf<Resource extends string> = EventType extends infer Name
  ? Name extends `${Resource}.${infer Past}`
    ? Past
    : never
  : never

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]
