/** How the bank's files come and go. Whatever carries them, the inbox is a folder of ours. */

/** UNKNOWN: it may have been handed over, and only what the bank says can tell. */
export type Handover = 'WAITING' | 'TAKEN' | 'ABSENT' | 'UNKNOWN'

export type PutResult =
  | { put: 'done' }
  /** Nothing was handed over. */
  | { put: 'failed'; reason: string }
  /** It may have been handed over. */
  | { put: 'unknown'; reason: string }

export type Outbox = {
  /** Throws when it cannot be read: then nothing is known. ABSENT is certain. */
  state(message_id: string): Promise<Handover>
  /**
   * Hands a payment file over, once for each message id. Of what cannot be handed over before
   * `until` (a time of `performance.now()`), nothing is.
   */
  put(message_id: string, content: string, until: number): Promise<PutResult>
}

export type Transport = {
  /** Where payments are handed over, for what people read. */
  place: string
  outbox: Outbox
  /** Brings into the inbox what the bank has put out. Throws VenueUnreachable. */
  collect(): Promise<void>
  close(): Promise<void>
}
