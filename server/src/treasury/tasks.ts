/** Kinds of due work in treasury. */
/** Subject: a venue. Reads first what left it, then what arrived there. */
export const POLL_TASK = 'poll_venue'
/** Subject: a deposit that is final. Finds out whose it is, and books it. */
export const SETTLE_TASK = 'settle_deposit'
/** Subject: the first withdrawal of a transaction. Sends the transaction, follows it to its end. */
export const WITHDRAWAL_TASK = 'withdrawal'
/** Subject: a transfer job. Runs it when its time has come. */
export const JOB_TASK = 'run_job'
/** Subject: a payment. Makes its withdrawal when its time has come. */
export const PAYMENT_TASK = 'send_payment'
/** Subject: a wallet. Asks the venue to create it. */
export const CREATE_WALLET_TASK = 'create_wallet'
/** Subject: a route. Asks the venue to create the route's allow-list collection. */
export const COLLECT_TASK = 'collect_route'
