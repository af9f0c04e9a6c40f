/**
 * Every event there is, `<resource>.<past tense>`, and when it is told. The type of a draft is one
 * of these names, so an event that is missing here does not compile; docs/generated/events.md is
 * written from it.
 */
export const EVENTS = {
  'booking.created': 'A booking was made; data is the booking with its legs',
  'account.overdrawn':
    'A fact took an account below what it may go: debits are refused until it is made good',
  'account.frozen': 'Nothing is taken from the account on request any more',
  'account.unfrozen': 'The account is free again',
  'halt.set': 'Withdrawals or trading were halted; data says where and why',
  'halt.released': 'A halt was released',
  'break.opened': 'A venue holds another amount than the books say, and timing does not explain it',
  'break.closed': 'A break has vanished, or somebody closed it with a note',
  'venue.connected': 'The opening balance of a venue was booked',
  'venue.opening_reversed':
    'The venue reversed a movement that its opening balance contained; the difference is booked',
  'customer.created': 'A customer was created, and its account with it',
  'customer.changed': 'Fields of a customer were changed',
  'customer.deleted': 'A customer was deleted',
  'wallet.created':
    'A wallet was created; one that its venue makes can be used when it is activated',
  'wallet.activated': 'The venue has made the wallet: it can be used',
  'wallet.failed': 'The venue would not create the wallet',
  'wallet.changed': 'Fields of a wallet were changed',
  'route.created': 'A treasury route was created',
  'route.changed': 'Fields of a treasury route were changed',
  'route.collection_made':
    'The venue made the allow-list collection of the route, which named none',
  'route.collection_refused':
    'The venue would not make the allow-list collection; the next save or allow asks anew',
  'route.allowlist_requested': 'The venue is asked to allow the destination of the route',
  'route.allowlisted': 'The venue allows the destination',
  'route.allowlist_refused': 'The venue did not allow the destination',
  'route.allowlist_removed': 'The venue no longer allows the destination',
  'matching.created': 'A matching was created',
  'matching.changed': 'Fields of a matching were changed',
  'matching.deleted': 'A matching was deleted',
  'deposit.detected': 'Money was seen arriving; it may still fail',
  'deposit.received': 'The deposit is final and booked',
  'deposit.assigned': "A part of the deposit was booked to a customer's account",
  'deposit.assignment_requested': 'A part of the deposit waits for a decision to be assigned',
  'deposit.assignment_rejected': 'The assignment of a part was rejected',
  'deposit.rectified': 'Assignments were reversed and booked to other accounts',
  'deposit.succeeded': 'An own transfer has arrived, or what a venue pays for a settlement',
  'deposit.failed': 'The money will not arrive',
  'deposit.resumed': 'It had failed or was taken back, and is there after all',
  'deposit.reversed': 'The venue took a final deposit back; its bookings were reversed',
  'withdrawal.created': 'The withdrawal was accepted and its amount blocked',
  'withdrawal.left_late':
    'The venue let it go after it had ended here; data names the withdrawal under which that is booked',
  'withdrawal.never_left':
    'A person had resolved it as SUCCESS, and the venue says that it failed; data names the deposit by which it comes back',
  'withdrawal.integrated': 'It left the venue without being asked for here: origin EXTERNAL',
  'withdrawal.charged':
    'The venue took a fee for it after its end, or another than was booked; the difference is booked',
  'withdrawal.submitted': 'The venue works on it',
  'withdrawal.held': 'The venue holds it for review',
  'withdrawal.unobserved': 'It may have left; the outcome is not known yet',
  'withdrawal.succeeded': 'It has left and is booked',
  'withdrawal.failed': 'It failed at the venue; what was blocked is free again',
  'withdrawal.rejected': 'The venue refused it; what was blocked is free again',
  'withdrawal.canceled': 'It was canceled; what was blocked is free again',
  'withdrawal.assigned': "A part of the withdrawal was booked to a customer's account",
  'withdrawal.assignment_requested':
    'A part of the withdrawal waits for its end or a decision to be assigned',
  'withdrawal.assignment_rejected': 'The assignment of a part was rejected',
  'withdrawal.rectified': 'Assignments were reversed and booked to other accounts',
  'settlement.created': 'Fills were claimed and netted',
  'settlement.changed': 'Other fills, or other parts, make it up; data says which state it is in',
  'settlement.initiated': 'Parts were sent, or are waited for',
  'settlement.part_settled': 'A part has moved, or somebody confirmed it',
  'settlement.part_failed': 'A part did not leave; it can be initiated again',
  'settlement.failed': 'Nothing of it is under way any more and a part has failed',
  'settlement.arrival_changed':
    'Of a part that was confirmed by hand: a deposit was named as its money, or it is waited for no more',
  'settlement.settled': 'Every part has moved: its fills are settled',
  'settlement.canceled': 'It was given up before anything moved; its fills are free',
  'job.created': 'A transfer job was created',
  'job.changed': 'A transfer job was changed, activated or stopped',
  'job.transferred': 'A run of the job made a withdrawal',
  'job.skipped': 'A run of the job moved nothing; data tells why',
  'job.failed': 'A run of the job could not be done; data tells why',
  'execution.created': 'The execution was accepted and its amount blocked; data is the execution',
  'execution.triggered': 'The market has reached the trigger: the order goes out',
  'execution.cancel_requested': 'Somebody wants it canceled; the venue is asked',
  'execution.cancel_refused': 'The venue did not cancel the order: the execution goes on',
  'execution.filled': 'A fill was booked',
  'execution.filled_late': 'A fill was booked after the execution had ended',
  'execution.fill_busted': 'The venue took a trade back: its bookings were reversed',
  'fill.recorded': 'A trade that was made in the account outside this service was booked',
  'fill.busted': 'The venue took such a trade back; its bookings were reversed',
  'execution.resumed': 'The venue has told: the execution goes on',
  'execution.unobserved': "The venue's answer was not observed; the outcome is not known yet",
  'execution.done': 'All of it is filled',
  'execution.canceled': 'It ended with a part or nothing filled',
  'execution.expired': 'Its time ended before it was filled',
  'execution.failed': 'It ended without a fill',
} as const

export type EventType = keyof typeof EVENTS

/** What may stand after `<resource>.`. */
export type EventOf<Resource extends string> = EventType extends infer Name
  ? Name extends `${Resource}.${infer Told}`
    ? Told
    : never
  : never

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]
