/** Names of the due work that deposits and withdrawals put for each other. */
/** Subject: a venue. Reads what arrived there. */
export const POLL_TASK = 'poll_venue'
/** Subject: a deposit that is final. Finds out whose it is, and books it. */
export const SETTLE_TASK = 'settle_deposit'
/** Subject: a withdrawal. Sends it and follows it to its end. */
export const WITHDRAWAL_TASK = 'withdrawal'
/** Subject: a transfer job. Runs it when its time has come. */
export const JOB_TASK = 'run_job'
